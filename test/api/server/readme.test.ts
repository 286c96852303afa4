import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killedAtLast } from '../../support/leftovers.js';
import { promise, readmeBlocks, stepsOf } from '../../support/program/readme-blocks.js';
import { freePort } from '../../support/program/server-process.js';

const root = join(import.meta.dirname, '../../..');
/** In reading order: the later documents continue with what the first one has started. */
const documents = [
  'README.md',
  'docs/messaging.md',
  'docs/recipes/messages.md',
  'docs/recipes/llm.md',
  'docs/recipes/workflows.md',
  'docs/recipes/topics.md',
] as const;
const blocks = documents.flatMap(readmeBlocks);
const promises = blocks
  .flatMap(({ text }) => stepsOf(text))
  .filter(({ promised }) => promised !== '');

let folder = '';
let ports: Readonly<Record<string, string>> = {};
let terminals: { child: ChildProcess; output: () => string; ended: Promise<unknown> }[] = [];
/** The variables that the reader's shell has exported. */
let exported = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stepwell-readme-'));
  const [server, destination, workflow] = await Promise.all([freePort(), freePort(), freePort()]);
  ports = { 8080: `${server}`, 9000: `${destination}`, 3000: `${workflow}` };
  // Here the packages are already installed. curl shows errors and ends each answer with a newline.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(
    join(folder, '.curlrc'),
    'silent\nshow-error\nfail-with-body\nwrite-out = "\\n"\n',
  );
});

afterAll(async () => {
  for (const { child, ended } of terminals.reverse()) {
    // Kill the whole process group, as closing the terminal does.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGTERM');
    await ended;
  }
  terminals = [];
  await rm(folder, { recursive: true });
});

/** Changes nothing but three ports, as other programs may use the usual ones. */
const ported = (text: string) =>
  text.replace(/\b(8080|9000|3000)\b/g, (port) => ports[port] ?? port);

const environment = () => ({
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  CURL_HOME: folder,
  STEPWELL_PORT: ports['8080'],
  STEPWELL_DATA_DIR: join(folder, 'data'),
  QSTASH_DEV_PORT: ports['8080'],
});

/** Runs a command to its end; rejects with all its output if it fails. */
function run(command: string): Promise<string> {
  const options = { cwd: folder, env: environment() };
  return new Promise((resolve, reject) => {
    execFile('sh', ['-ec', `${exported}\n${command}`], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${command}\n${stdout}${stderr}`));
    });
  });
}

/** Runs a command in a terminal of its own and waits until its output matches `until`. */
async function keep(command: string, until: RegExp, cwd = folder): Promise<() => string> {
  const child = killedAtLast(
    spawn('sh', ['-ec', `${exported}\n${command}`], {
      cwd,
      env: environment(),
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let text = '';
  const output = () => text;
  const ended = once(child, 'close');
  terminals.push({ child, output, ended });
  await new Promise<void>((resolve, reject) => {
    const listen = (chunk: Buffer) => {
      text += chunk.toString();
      if (until.test(text)) resolve();
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    ended.then(() => reject(new Error(`${command} ended:\n${text}`)));
    if (until.test('')) resolve();
  });
  return output;
}

/** A reader is slower than a test, so commands that only read are repeated until they show it. */
async function shown(command: string, promised: RegExp): Promise<void> {
  const isLook = !/ -d | -X /.test(command);
  for (;;) {
    const output = await run(command);
    if (promised.test(output)) return;
    if (!isLook) expect(output).toMatch(promised);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function runSteps(text: string): Promise<void> {
  for (const { command, promised } of stepsOf(ported(text))) {
    if (command.startsWith('export ')) exported += `${command}\n`;
    else if (command.startsWith('npm ')) expectInstalled(command);
    else await shown(command, promise(promised));
  }
}

/** No registry is asked: the command must install exactly what the example imports. */
function expectInstalled(command: string): void {
  const example = blocks.find(({ title }) => title === 'order.mjs')?.text ?? '';
  const imported = [...example.matchAll(/from '(?!node:)([^']+)'/g)].map(([, name]) => name);
  expect(command).toBe(`npm init -y && npm install ${imported.join(' ')}`);
}

async function runBlock(title: string, text: string): Promise<void> {
  const [{ command, promised } = { command: '', promised: '' }] = stepsOf(ported(text));
  switch (title) {
    case 'server':
      expect(command).toMatch(/^npm ci && /);
      await keep(command.replace('npm ci && ', ''), /running at/, root);
      return;
    case 'destination':
      await keep(command, /^/);
      await listening('9000');
      return;
    case 'workflow':
      await keep(command, /^/);
      await listening('3000');
      return;
    case 'tail':
      await keep(command, promise(promised));
      return;
    case '':
      await runSteps(text);
      return;
    default:
      await writeFile(join(folder, title), ported(text));
  }
}

/** Waits until something listens on the port that replaces the usual port. */
async function listening(usual: string): Promise<void> {
  const isOpen = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(Number(ports[usual]), '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  while (!(await isOpen())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Installing is done by the build and by the reader: it is no example. */
const isInstall = (text: string) => /^npm ci && npm (start|test)/m.test(text);

describe('the examples from the first to the last', () => {
  describe.each(documents)('of %s', (document) => {
    const examples = readmeBlocks(document).filter(
      ({ language, text }) => language !== '' && !isInstall(text),
    );

    it.each(examples.map((block) => [block.text.split('\n')[0], block] as const))(
      '%s',
      (_first, { title, text }) => runBlock(title, text),
      120_000,
    );
  });

  it('lead to the output that the text describes', () => {
    const [server, , workflow] = terminals.map(({ output }) => output());
    expect(server).toMatch(/delivered POST http:\/\/127\.0\.0\.1:\d+\/hook 200 in .* \(msg_\w+\)/);
    expect(server).toMatch(/run succeeded http:\/\/127\.0\.0\.1:\d+\/order /);
    expect(workflow).toMatch(/^paid 12, shipped as P-1$/m);
  });
});

it('the documents show the output of many of their examples', () => {
  expect(promises.length).toBeGreaterThan(10);
});

it('the documents quote every character that a shell would expand', () => {
  const commands = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => stepsOf(text).map(({ command }) => command));
  for (const command of commands) {
    const bare = command.replace(/'[^']*'|"[^"]*"/g, '');
    expect([command, /[?*&<>[\]{}]/.exec(bare.replaceAll('&&', ''))?.[0]]).toEqual([
      command,
      undefined,
    ]);
  }
});
