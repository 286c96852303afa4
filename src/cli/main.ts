/**
 * The entry point of the program. `bin/stepwell.cjs` starts it, and sets the size of the thread
 * pool.
 */
import { run } from './program.js';

void run(process.argv);
