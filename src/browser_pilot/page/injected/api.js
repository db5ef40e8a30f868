// What can be called from outside: each file adds functions of its own.

/** @type {Record<string, any>} */
const pilot = {};
