#!/usr/bin/env node
/** The program: `node dist/src/main.js [command]`, without one `start`. */
import 'reflect-metadata';
import { run } from './cli/program.js';

await run(process.argv);
