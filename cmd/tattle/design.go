package main

// designCmd looks for a release that keeps a promise.
