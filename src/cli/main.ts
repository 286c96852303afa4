/** The program. It is started by `bin/stepwell.cjs`, which sets the size of the thread pool. */
import 'reflect-metadata';
import { showSourceLines } from '../server/lifecycle/source-lines.js';
import { run } from './program.js';

showSourceLines();
void run(process.argv);
