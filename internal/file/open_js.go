package file

// nonblock has no value here: browsers have no pipes.
const nonblock = 0
