/** The program. It is started by `bin/stepwell.cjs`, which sets the size of the thread pool. */
import { run } from './program.js';

void run(process.argv);
