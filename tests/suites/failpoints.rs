//! Suite A.
