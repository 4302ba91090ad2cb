"""llama.cpp's own server on loopback. usage: serve_model.py MODEL.gguf PORT THREADS [TEMPLATE.jinja]"""

import pathlib
import sys
import time

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.hostnames = ["127.0.0.1"]
params.port = int(sys.argv[2])
params.n_ctx, params.n_parallel, params.use_jinja = 8192, 1, True
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = int(sys.argv[3])
if len(sys.argv) > 4:
    params.chat_template = pathlib.Path(sys.argv[4]).read_text()
server = xllamacpp.Server(params)
while True:
    time.sleep(3600)
