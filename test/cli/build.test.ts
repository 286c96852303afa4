import { execFile } from 'node:child_process';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { leave } from '../support/leftovers.js';

const root = join(import.meta.dirname, '../..');
let folder = '';
/** The output of the build for the sources that each test begins with: made once, then copied. */
let firstBuild = '';

beforeAll(async () => {
  firstBuild = await mkdtemp(join(tmpdir(), 'stepwell-built-'));
  leave(firstBuild);
  await prepare();
  await build();
  await cp(join(folder, 'dist'), firstBuild, { recursive: true, ...exactly });
  await rm(folder, { recursive: true });
});

beforeEach(prepare);

async function prepare(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-build-'));
  for (const file of [
    'build/run.mjs',
    'build/program.mjs',
    'build/when-asked.mjs',
    'build/console.mjs',
    'package.json',
    'package-lock.json',
  ]) {
    await cp(join(root, file), join(folder, file));
  }
  bundled = join(folder, 'dist/src/program');
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await cp(join(root, 'bin/stepwell.cjs'), join(folder, 'bin/stepwell.cjs'));
  await write('src/cli/main.ts', "import '../deep/two.js';\n");
  await write('src/one.ts', 'export const one: number = 1;\n');
  await write('src/deep/two.ts', "import { one } from '../one.js';\nconsole.log(one + 1);\n");
}

afterEach(() => rm(folder, { recursive: true }));

async function write(path: string, text: string): Promise<void> {
  await mkdir(join(folder, path, '..'), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** The program's output; rejects if the program fails. */
function node(...words: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, words, { cwd: folder }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(stderr));
    });
  });
}

const build = () => node('build/run.mjs');
/** Copies keep links and modification times. */
const exactly = { preserveTimestamps: true, verbatimSymlinks: true };
/** Like `build`, for the sources that each test begins with. */
const buildFirst = () => cp(firstBuild, join(folder, 'dist'), { recursive: true, ...exactly });
/** The folder of the bundled program and of its cached compiled code. */
let bundled = '';
const keptCode = async () => (await readdir(bundled)).filter((name) => name.endsWith('.code'));
const compiledAt = async (path: string) => (await stat(join(folder, 'dist', path))).mtimeMs;

it('the build compiles the sources, with source maps that lead to them', async () => {
  await build();
  expect(await node('dist/src/deep/two.js')).toBe('2\n');
  const map = JSON.parse(await readFile(join(folder, 'dist/src/deep/two.js.map'), 'utf8'));
  expect(join(folder, 'dist/src/deep', map.sources[0])).toBe(join(folder, 'src/deep/two.ts'));
});

it('the build makes main.js a link to the file that every start begins with', async () => {
  await write('bin/stepwell.cjs', "console.log(require('node:path').basename(__filename));\n");
  // The file that an earlier version has compiled there.
  await write('dist/src/main.js', 'export {};\n');
  for (let time = 0; time < 2; time += 1) {
    await build();
    expect(await node('dist/src/main.js')).toBe('stepwell.cjs\n');
  }
});

it('the build compiles only what has changed, and loads no compiler otherwise', async () => {
  await buildFirst();
  const before = [await compiledAt('src/one.js'), await compiledAt('src/deep/two.js')];
  await write('src/one.ts', 'export const one: number = 5;\n');
  await build();
  expect(await node('dist/src/deep/two.js')).toBe('6\n');
  expect(await compiledAt('src/one.js')).not.toBe(before[0]);
  expect(await compiledAt('src/deep/two.js')).toBe(before[1]);
  await rm(join(folder, 'node_modules'));
  await build();
  await write('src/one.ts', 'export const one: number = 6;\n');
  await expect(build()).rejects.toThrow(/1 source.* changed.*run npm ci/);
  await write('src/one.ts', 'export const one: number = 5;\n');
  await rm(join(bundled, 'stepwell.cjs'));
  await expect(build()).rejects.toThrow(/cannot be bundled; run npm ci/);
});

it('the build removes output without a source and compiles sources without output', async () => {
  await buildFirst();
  await rm(join(folder, 'dist/src/one.js'));
  await rm(join(folder, 'src/deep/two.ts'));
  await write('src/cli/main.ts', '');
  await build();
  expect(await node('-e', "import('./dist/src/one.js').then(({ one }) => console.log(one))")).toBe(
    '1\n',
  );
  for (const name of ['two.js', 'two.js.map']) {
    await expect(stat(join(folder, 'dist/src/deep', name))).rejects.toThrow('ENOENT');
  }
});

it('the build compiles everything again if the compiler has changed', async () => {
  await buildFirst();
  const before = await compiledAt('src/one.js');
  await write('package-lock.json', '{}');
  await build();
  expect(await compiledAt('src/one.js')).not.toBe(before);
});

it('the build fails with the error of the compiler until the source is fixed', async () => {
  await write('src/one.ts', 'export const = 1;\n');
  for (let time = 0; time < 2; time += 1) await expect(build()).rejects.toThrow('Expected');
  await write('src/one.ts', 'export const one = 1;\n');
  await build();
  expect(await node('dist/src/deep/two.js')).toBe('2\n');
});

it('a start without a build names the command to run', async () => {
  await expect(node('bin/stepwell.cjs')).rejects.toThrow('run npm ci && npm run build');
});

it('the build refuses a program that is not ASCII and names the text to escape', async () => {
  await write('src/cli/main.ts', 'console.log(/[μ]/.test("μ"), "μ");\n');
  await expect(build()).rejects.toThrow(/stepwell\.cjs is not ASCII: escape ".*μ/);
  await write('src/cli/main.ts', 'console.log(/[\\u03bc]/.test("μ"), "μ");\n');
  await build();
  expect(await node('bin/stepwell.cjs')).toBe('true μ\n');
});

it('the program and its threads are one file each, with licenses of packages', async () => {
  await write(
    'src/cli/main.ts',
    "import { tdigest } from './deep.js';\nconsole.log(tdigest, process.argv[2]);\n",
  );
  await write(
    'src/cli/deep.ts',
    "import tiny from 'tinyqueue';\nexport const tdigest = typeof tiny;\n",
  );
  await write('src/deep/three.worker.ts', "console.log('three');\n");
  await build();
  await rm(join(folder, 'dist/src/cli'), { recursive: true });
  await rm(join(folder, 'node_modules'));
  expect(await node('bin/stepwell.cjs', 'x')).toBe('function x\n');
  expect(await node('dist/src/program/three.worker.cjs')).toBe('three\n');
  expect(await readFile(join(bundled, 'LICENSES.txt'), 'utf8')).toMatch(
    /^tinyqueue .*\n[\s\S]*ISC/,
  );
});

/** Writes a program that prints `answer` and ends once its compiled code is cached. */
async function serve(answer: string): Promise<void> {
  await write('src/cli/main.ts', "void import('./engine.part.js');\n");
  await write(
    'src/cli/engine.part.ts',
    `import { readdirSync, statSync } from 'node:fs';
    const folder = process.argv[3]!;
    const isKept = () =>
      readdirSync(folder).some((name) => /code$/.test(name) && statSync(folder + name).size > 500);
    setInterval(() => { if (isKept()) process.exit(); }, 20);
    console.log('${answer}');`,
  );
}

it('a server caches the compiled code of its part, for this build only', async () => {
  const start = () => node('bin/stepwell.cjs', 'start', `${bundled}/`);
  await serve('one');
  await build();
  expect(await start()).toBe('one\n');
  const [name = ''] = await keptCode();
  const code = await readFile(join(bundled, name));
  await serve('two');
  await build();
  expect(await keptCode()).toEqual([]);
  // V8 accepts cached code for any source of the same length.
  await writeFile(join(bundled, name), code);
  expect(await start()).toBe('two\n');
});

it('a start ignores damaged cached code and replaces it', async () => {
  const start = () => node('bin/stepwell.cjs', 'start', `${bundled}/`);
  await serve('one');
  await build();
  await start();
  const [name = ''] = await keptCode();
  await writeFile(join(bundled, name), 'damaged');
  expect(await start()).toBe('one\n');
});

it('another command caches only the code of the program, and that of no part', async () => {
  await write('src/cli/main.ts', "void import('./engine.part.js');\n");
  await write('src/cli/engine.part.ts', "console.log('asked');\n");
  await build();
  for (let time = 0; time < 2; time += 1) {
    expect(await node('bin/stepwell.cjs', 'ask')).toBe('asked\n');
    expect(await keptCode()).toEqual([expect.stringMatching(/^stepwell\.cjs\..*\.code$/)]);
  }
});
