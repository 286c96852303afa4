/**
 * Imported before anything else: the modules that `MUTATED` names are loaded with another text.
 * What compiles TypeScript is registered behind this, and so is given that text.
 */
import { register } from 'node:module';

register('./planted-source.mjs', import.meta.url, { data: process.env['MUTATED'] });
