/** For `node --require`: a platform for which the lock's addon ships nothing, and no file of it. */
const Module = require('node:module');
const resolve = Module._resolveFilename;

Module._resolveFilename = function (name, ...rest) {
  if (!name.startsWith('fs-native-extensions')) return resolve.call(this, name, ...rest);
  throw Object.assign(new Error(`Cannot find module '${name}'`), { code: 'MODULE_NOT_FOUND' });
};
