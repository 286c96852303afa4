/** The program. It is started by `bin/stepwell.cjs`, which sets the size of the thread pool. */
import 'reflect-metadata';
import { showSourceLinesAtEnd } from '../server/logging/source-lines.js';
import { run } from './program.js';

showSourceLinesAtEnd();
void run(process.argv);
