/** Gives mutated modules their text; in the thread that loads modules. */
import { readFile } from 'node:fs/promises';

/** From the URL of a module to its text. */
let mutated = {};

export async function initialize(path) {
  mutated = JSON.parse(await readFile(path, 'utf8'));
}

export async function load(url, context, nextLoad) {
  const loaded = await nextLoad(url, context);
  const source = mutated[url.replace(/\?.*$/, '')];
  return source === undefined ? loaded : { ...loaded, source };
}
