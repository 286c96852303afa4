#!/usr/bin/env node
/**
 * How every start begins: `npx stepwell`, `npm start`, `npm run dev`, and `node dist/src/main.js`,
 * which the build makes a link to this file. It sets the size of the thread pool, which does all
 * work with files. Node creates the pool at its first use and loads ES modules with it, so the size
 * is set before the first of them: here, in CommonJS.
 */
process.env.UV_THREADPOOL_SIZE ??= '16';
import('../dist/src/cli/main.js');
