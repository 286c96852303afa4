/** The program. It is started by `bin/stepwell.cjs`, which sets the size of the thread pool. */
import 'reflect-metadata';
import { run } from './program.js';

await run(process.argv);
