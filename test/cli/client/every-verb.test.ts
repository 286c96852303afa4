import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { codes } from '../../../src/cli/output/style.js';
import { program } from '../../../src/cli/program.js';
import { RecordingEndpoint } from '../../support/clients/recording-endpoint.js';
import { onTerminal, startOnTerminal } from '../../support/program/on-terminal.js';
import { freePort } from '../../support/program/server-process.js';
import { itWithShell } from '../../support/program/shells.js';

/** Starting a process for each verb takes a while on a busy machine. */
const areaLimitMs = 180_000;

const driven = new Set<string>();
let folder = '';
let environment: Record<string, string> = {};
let endpoint: RecordingEndpoint;
let url = '';
let failing = 500;

/** Starts a server on a terminal and waits until it says that it is running. */
async function startServer(verb: string, data: string): Promise<ChildProcess> {
  const child = startOnTerminal([verb, '--data-dir', data], {
    STEPWELL_PORT: String(await freePort()),
  });
  driven.add(verb);
  await new Promise<void>((resolve, reject) => {
    let said = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk;
      if (/Stepwell is running at/.test(said)) resolve();
    });
    child.on('close', () => reject(new Error(`stepwell ${verb} ended: ${said}`)));
  });
  return child;
}

beforeAll(async () => {
  endpoint = await RecordingEndpoint.start(({ url: path }) => ({
    status: path === '/fails' ? failing : 200,
  }));
  url = endpoint.url;
  folder = await mkdtemp(join(tmpdir(), 'stepwell-verbs-'));
  await writeFile(join(folder, 'order.json'), '{"order":1}');
  const data = join(folder, 'data');
  environment = { STEPWELL_DATA_DIR: data };
  await startServer('dev', data);
}, areaLimitMs);

afterAll(async () => {
  await endpoint.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const ownCodes = new RegExp(`\x1b\\[(?:${Object.values(codes).flat().join('|')})m`, 'g');

const controlStart = '\x1b';
const overwritten = new RegExp(`[^\n]*\r${controlStart}\\[K`, 'g');

/** How a command ends: by itself with a code, or after it has shown a text. */
interface End {
  /** The command runs until it has shown this. */
  readonly until?: RegExp;
  /** 0 by default. */
  readonly code?: number;
}

/**
 * Runs `verb` with `words` on a terminal and returns its output. As people read it, the output must
 * not be JSON and must have no control characters but those of our own colours.
 */
async function shown(verb: string, words = '', { until, code = 0 }: End = {}): Promise<string> {
  driven.add(verb);
  const typed = `${verb} ${words}`.match(/'[^']*'|\S+/g) ?? [];
  const unquoted = typed.map((word) => word.replace(/^'(.*)'$/, '$1'));
  const ended = await onTerminal(unquoted, environment, until);
  // A progress line is overwritten in place and leaves nothing.
  const text = ended.text.replace(ownCodes, '').replace(overwritten, '');
  if (until === undefined) expect([verb, ended.code, text]).toEqual([verb, code, text]);
  expect(text).not.toMatch(/[^\P{Cc}\n\t]/u);
  expect(text).not.toMatch(/^\{"/m);
  return text;
}

/** Reads as a consumer and leaves the group: the program has no command for it. */
async function consume(topic: string): Promise<void> {
  const kept = await readFile(join(folder, 'data', 'address.json'), 'utf8');
  const pair = Buffer.from('defaultUser:defaultPassword').toString('base64');
  const headers = { authorization: `Basic ${pair}` };
  const { url: server } = JSON.parse(kept) as { readonly url: string };
  await fetch(`${server}/consume/g/one/${topic}`, { headers });
  await fetch(`${server}/delete-consumer/g/one`, { method: 'POST', headers });
}

interface Verb {
  /** As it is typed: `msg publish`. */
  readonly verb: string;
  readonly command: Command;
}

/** The commands that do something, without the commands that only group others. */
function verbsOf(command: Command, typed = ''): Verb[] {
  if (command.commands.length === 0) return [{ verb: typed, command }];
  return command.commands.flatMap((part) => verbsOf(part, `${typed} ${part.name()}`.trim()));
}

const idIn = (text: string) => /\bmsg_\w+/.exec(text)?.[0] ?? '';

describe('on a terminal, against a server', () => {
  itWithShell(
    'script',
    'msg and tail',
    async () => {
      const publish = `${url}/later -d hello --delay 2h --retries 4 --label l1 --label l2`;
      const id = idIn(await shown('msg publish', publish));
      expect(await shown('msg ls', '--state delayed')).toMatch(
        /MESSAGE .*\n.*○ delayed .* in 1h 59m +l1, l2/,
      );
      expect(await shown('msg get', id)).toMatch(/^label +l1, l2\n(.*\n)*body +hello$/m);
      const long = idIn(await shown('msg publish', `${url}/later -d ${'x'.repeat(5000)}`));
      expect(await shown('msg get', long)).toMatch(/^body +x{2000}… \(5000 characters; --json/m);
      expect(await shown('msg why', id)).toContain('It is delayed until');
      expect(await shown('msg deliver', id)).toContain('no longer waits');
      const other = idIn(await shown('msg publish', `${url}/later --delay 1h`));
      expect(await shown('msg cancel', other)).toBe('canceled 1\n');
      const watched = await shown(
        'msg publish',
        `${url}/now -d @${join(folder, 'order.json')} --watch`,
      );
      expect(watched).toMatch(/published msg_\w+ .*\n.*○ created .*\n.*▶ active .*\n.*✓ delivered/);
      const tailed = shown('tail', '--label tailed', { until: /○ created/ });
      const publishing = setInterval(() => {
        void shown('msg publish', `${url}/now --label tailed`).catch(() => undefined);
      }, 1000);
      expect(await tailed).toContain(`${url}/now`);
      clearInterval(publishing);
    },
    areaLimitMs,
  );

  itWithShell(
    'script',
    'dlq',
    async () => {
      const failed = await shown('msg publish', `${url}/fails --retries 0 --label bad --watch`, {
        code: 1,
      });
      expect(failed).toMatch(/✗ failed .*answered 500/);
      const letters = await shown('dlq ls', '--label bad');
      const letter = /^\d+-\d+s00/m.exec(letters)?.[0] ?? '';
      expect(letters).toContain(`${url}/fails`);
      expect(await shown('dlq ls', '--by error')).toMatch(/COUNT .*\n +1 +500/);
      expect(await shown('dlq get', letter)).toMatch(/answer +500\n/);
      expect(await shown('dlq retry', '--all --rate 50/s --dry-run')).toContain(letter);
      failing = 200;
      expect(await shown('dlq retry', '--all --rate 50/s')).toBe('retried 1\n');
      failing = 500;
      await shown('msg publish', `${url}/fails --retries 0 --watch`, { code: 1 });
      expect(await shown('dlq delete', '--all')).toBe('deleted 1\n');
      expect(await shown('dlq export')).toBe('');
    },
    areaLimitMs,
  );

  itWithShell(
    'script',
    'sched, queue, flow, group and keys',
    async () => {
      const create = `${url}/r --cron '30 6 * * MON-FRI' --zone Europe/Berlin --id report`;
      expect(await shown('sched create', create)).toBe('schedule report\n');
      expect(await shown('sched ls')).toMatch(/SCHEDULE .*\nreport +▶ running/);
      expect(await shown('sched get', 'report')).toMatch(/schedule +report\n/);
      expect((await shown('sched next', 'report --count 3')).split('\n')).toHaveLength(5);
      expect(await shown('sched trigger', 'report')).toMatch(/^published msg_/);
      expect(await shown('sched pause', 'report')).toBe('paused report\n');
      expect(await shown('sched resume', 'report')).toBe('resumed report\n');
      expect(await shown('sched delete', 'report')).toBe('deleted report\n');
      expect(await shown('queue set', 'mails --parallelism 2')).toBe('mails delivers 2 at once\n');
      expect(await shown('queue pause', 'mails')).toBe('paused mails\n');
      expect(await shown('queue ls')).toMatch(/QUEUE .*\nmails +○ paused +2 +0/);
      expect(await shown('queue resume', 'mails')).toBe('resumed mails\n');
      expect(await shown('queue delete', 'mails')).toBe('deleted mails\n');
      expect(await shown('flow pin', 'llm --parallelism 4 --rate 60')).toBe('pinned llm\n');
      expect(await shown('flow ls')).toMatch(/KEY .*\nllm +▶ running +0\/4 +0\/60/);
      for (const verb of ['pause', 'resume', 'reset', 'unpin']) {
        expect(await shown(`flow ${verb}`, 'llm')).toContain('llm\n');
      }
      expect(await shown('group add', `team ${url}/a ${url}/b`)).toContain('to team');
      expect(await shown('group ls')).toMatch(/GROUP .*\nteam +http/);
      expect(await shown('group remove', `team ${url}/a`)).toContain('from team');
      expect(await shown('group delete', 'team')).toBe('deleted team\n');
      expect(await shown('keys show')).toMatch(/^QSTASH_CURRENT_SIGNING_KEY=/);
    },
    areaLimitMs,
  );

  itWithShell(
    'script',
    'run',
    async () => {
      // The destination submits no step, so the run fails at once.
      expect(await shown('run start', `${url}/order --id order-7`)).toBe('started order-7\n');
      expect(await shown('run tail', 'order-7')).toMatch(/✗ failed/);
      expect(await shown('tail', '--run order-7 --state run_failed')).toMatch(/^\S+ \S+ +✗ failed/);
      expect(await shown('run ls')).toMatch(/RUN .*\norder-7 +✗ failed/);
      expect(await shown('run show', 'order-7')).toMatch(/^state +✗ failed\n[\s\S]*^init +●/m);
      expect(await shown('run why', 'order-7')).toContain('It failed at');
      expect(await shown('run resume', 'order-7')).toContain('order-7 continues as');
      expect(await shown('run start', `${url}/order --id order-8`)).toBe('started order-8\n');
      await shown('run tail', 'order-8');
      expect(await shown('run restart', 'order-8')).toContain('order-8 continues as');
      await shown('run start', `${url}/order --id order-9 --delay 1h`);
      expect(await shown('run cancel', 'order-9')).toBe('canceled 1\n');
      expect(await shown('run notify', 'paid -d {}')).toBe('no run waits for it\n');
    },
    areaLimitMs,
  );

  itWithShell(
    'script',
    'topic, consumers, cred and token',
    async () => {
      expect(await shown('topic create', 'rides --partitions 2')).toContain('2 partitions');
      expect(await shown('topic produce', 'rides hello --key k')).toMatch(
        / partition \d, offset 0$/m,
      );
      expect(await shown('topic ls')).toMatch(/TOPIC .*\nrides +2 +delete/);
      expect(await shown('topic show', 'rides')).toMatch(/PARTITION +FROM +NEXT/);
      const tailed = await shown('topic tail', 'rides --from newest-50 --key k', {
        until: /hello/,
      });
      expect(tailed).toMatch(/ [01]:0 +k +hello/);
      await consume('rides');
      expect(await shown('consumers ls')).toMatch(/GROUP .*\ng /);
      expect(await shown('consumers show', 'g')).toContain('COMMITTED');
      expect(await shown('consumers seek', 'g rides --to latest --dry-run')).toContain('FROM');
      expect(await shown('consumers delete', 'g')).toBe('deleted g\n');
      expect(await shown('topic delete', 'rides')).toBe('deleted rides\n');
      expect(await shown('cred create', 'phone --topic r*')).toContain('STEPWELL_REST_PASSWORD=');
      expect(await shown('cred ls')).toMatch(/NAME .*\nphone /);
      expect(await shown('cred revoke', 'phone')).toBe('revoked phone\n');
      expect(await shown('token create', 'grafana --role read')).toContain('STEPWELL_TOKEN=');
      expect(await shown('token ls')).toMatch(/NAME .*\ngrafana +read/);
      expect(await shown('token revoke', 'grafana')).toBe('revoked grafana\n');
    },
    areaLimitMs,
  );

  itWithShell(
    'script',
    'the server and its folder',
    async () => {
      const other = await startServer('start', join(folder, 'other'));
      other.kill();
      expect(await shown('config')).toMatch(/^STEPWELL_FSYNC +strict +default$/m);
      expect(await shown('env', '--for python')).toMatch(/^import os\nos\.environ\["QSTASH_URL"\]/);
      expect(await shown('doctor', url)).toMatch(/✓ +server +.* serves/);
      expect(await shown('bench', '--messages 20')).toMatch(/^20 messages published and delivered/);
      // This server is not in a cluster: test/cluster/cluster-commands.test.ts has some.
      await shown('cluster status', '', { until: /is not a node of a cluster/ });
      await shown('cluster handover', '', { until: /confirm with --yes/ });
      expect(await shown('clock', '+3d')).toContain('3d ahead');
      expect(await shown('sink', '--fail 2 --slow 3s', { until: /answers/ })).toContain(
        '3000 ms late',
      );
      expect(await shown('machines', 'schedule')).toContain('stateDiagram');
      expect(await shown('completion', 'bash')).toContain('complete -o default');
      expect(await shown('mcp', '', { until: /\n/ })).toContain('waiting for an MCP client');
      const [backup, restored] = [join(folder, 'backup'), join(folder, 'restored')];
      expect(await shown('backup', backup)).toMatch(/^backed up /m);
      expect(await shown('restore', `${backup} ${restored}`)).toMatch(/^restored /m);
      expect(await shown('journal print', '--until 3')).toMatch(/^\d+ /m);
      expect(await shown('journal verify')).toMatch(/journal/);
      expect(await shown('journal replay')).toMatch(/\d/);
      // After three days, the earlier part of the journal is sealed.
      expect(await shown('journal digest')).toMatch(/^digest \w+ at \d+$/m);
      const good = join(folder, 'good');
      expect(await shown('journal export', `--good ${good} --data-dir ${restored}`)).toContain(
        good,
      );
      const imported = join(folder, 'imported');
      expect(await shown('journal import', `${good} ${imported}`)).toContain(imported);
      expect(await readdir(imported)).toContain('logs');
      expect(await shown('keys rotate')).toMatch(/^QSTASH_CURRENT_SIGNING_KEY=[\s\S]*QSTASH_DEV/);
    },
    areaLimitMs,
  );

  itWithShell('script', 'leaves out no verb of the program', async () => {
    const verbs = verbsOf(await program()).map(({ verb }) => verb);
    expect([...driven].sort()).toEqual(verbs.sort());
  });
});

it('every verb has examples in its help', async () => {
  for (const { verb, command } of verbsOf(await program())) {
    let help = '';
    command.configureOutput({
      writeOut: (text) => {
        help += text;
      },
    });
    command.outputHelp();
    expect(help.split('Examples:')[1] ?? '').toContain(`stepwell ${verb}`);
  }
});
