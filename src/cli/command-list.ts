/**
 * Every command of the program by its name. The modules of a command are loaded only when it is
 * called, so that commands which query a server respond at once.
 */
import { Command } from 'commander';

/** A command of the first level. */
interface ListedCommand {
  readonly name: string;
  /** The summary in the program's help. */
  readonly summary: string;
  readonly group: string;
  load(): Promise<Command>;
}

const messages = 'Messages:';
const workflows = 'Workflows:';
const topics = 'Topics:';
const server = 'The server:';
const folder = 'The data folder:';

const listed: readonly ListedCommand[] = [
  {
    name: 'msg',
    summary: 'publish, list and inspect messages',
    group: messages,
    load: async () => (await import('./messages/msg.command.js')).msgCommand(),
  },
  {
    name: 'tail',
    summary: 'show what happens to messages, live',
    group: messages,
    load: async () => (await import('./messages/tail.command.js')).tailCommand(),
  },
  {
    name: 'dlq',
    summary: 'messages and runs that have failed for good',
    group: messages,
    load: async () => (await import('./messages/dlq.command.js')).dlqCommand(),
  },
  {
    name: 'sched',
    summary: 'schedules',
    group: messages,
    load: async () => (await import('./messages/sched.command.js')).schedCommand(),
  },
  {
    name: 'queue',
    summary: 'queues',
    group: messages,
    load: async () => (await import('./messages/queue.command.js')).queueCommand(),
  },
  {
    name: 'flow',
    summary: 'flow-control keys',
    group: messages,
    load: async () => (await import('./messages/flow.command.js')).flowCommand(),
  },
  {
    name: 'group',
    summary: 'URL groups',
    group: messages,
    load: async () => (await import('./messages/group.command.js')).groupCommand(),
  },
  {
    name: 'keys',
    summary: 'the keys that sign deliveries',
    group: messages,
    load: async () => (await import('./messages/keys.command.js')).keysCommand(),
  },
  {
    name: 'run',
    summary: 'start, list and inspect workflow runs',
    group: workflows,
    load: async () => (await import('./runs/run.command.js')).runCommand(),
  },
  {
    name: 'topic',
    summary: 'topics and their records',
    group: topics,
    load: async () => (await import('./topics/topic.command.js')).topicCommand(),
  },
  {
    name: 'consumers',
    summary: 'consumer groups and their offsets',
    group: topics,
    load: async () => (await import('./topics/consumers.command.js')).consumersCommand(),
  },
  {
    name: 'cred',
    summary: 'credentials for topics',
    group: topics,
    load: async () => (await import('./topics/cred.command.js')).credCommand(),
  },
  {
    name: 'start',
    summary: 'run the server',
    group: server,
    load: async () => (await import('./start.command.js')).startCommand(),
  },
  {
    name: 'dev',
    summary: "run the server with the SDKs' published development credentials, on loopback",
    group: server,
    load: async () => (await import('./dev.command.js')).devCommand(),
  },
  {
    name: 'config',
    summary: 'print every setting and where it came from',
    group: server,
    load: async () => (await import('./config.command.js')).configCommand(),
  },
  {
    name: 'env',
    summary: 'print what an application needs to use the server',
    group: server,
    load: async () => (await import('./server/env.command.js')).envCommand(),
  },
  {
    name: 'token',
    summary: 'named tokens and their roles',
    group: server,
    load: async () => (await import('./server/token.command.js')).tokenCommand(),
  },
  {
    name: 'cluster',
    summary: 'the nodes of a cluster: their state, and a planned handover',
    group: server,
    load: async () => (await import('./server/cluster.command.js')).clusterCommand(),
  },
  {
    name: 'sink',
    summary: 'an endpoint for tests, which answers deliveries as you choose',
    group: server,
    load: async () => (await import('./server/sink.command.js')).sinkCommand(),
  },
  {
    name: 'doctor',
    summary: 'check settings, disk, clock, ports and files, and whether a URL may be called',
    group: server,
    load: async () => (await import('./doctor.command.js')).doctorCommand(),
  },
  {
    name: 'bench',
    summary: 'measure a running server with messages to an endpoint of this command',
    group: server,
    load: async () => (await import('./bench/bench.command.js')).benchCommand(),
  },
  {
    name: 'mcp',
    summary: 'tools for models that inspect a server (Model Context Protocol)',
    group: server,
    load: async () => (await import('./server/mcp.command.js')).mcpCommand(),
  },
  {
    name: 'completion',
    summary: 'print completions for bash, zsh or fish',
    group: server,
    load: async () =>
      (await import('./completion/completion.command.js')).completionCommand(() =>
        commandsFor(null),
      ),
  },
  {
    name: 'clock',
    summary: 'show the time of stepwell dev, or move it forward',
    group: server,
    load: async () => (await import('./server/clock.command.js')).clockCommand(),
  },
  {
    name: 'machines',
    summary: 'print the state machines as Mermaid diagrams, all of them or one',
    group: server,
    load: async () => (await import('./machines.command.js')).machinesCommand(),
  },
  {
    name: 'backup',
    summary: 'copy the data folder at one moment, also while a server uses it',
    group: folder,
    load: async () => (await import('./backup.command.js')).backupCommand(),
  },
  {
    name: 'restore',
    summary: 'make a data folder from a backup',
    group: folder,
    load: async () => (await import('./backup.command.js')).restoreCommand(),
  },
  {
    name: 'journal',
    summary: 'read the data folder; these commands never change it',
    group: folder,
    load: async () => (await import('./journal.command.js')).journalCommand(),
  },
];

/**
 * The commands of the first level, in the order of the help. Only the called one is loaded; the
 * others have just a name and a summary. If `called` is null, all are loaded.
 */
export async function commandsFor(called: string | null): Promise<readonly Command[]> {
  return Promise.all(
    listed.map(async ({ name, summary, group, load }) => {
      const isWanted = called === null || called === name;
      const command = isWanted ? await load() : new Command(name).description(summary);
      return command.helpGroup(group);
    }),
  );
}

/** Whether there is a command of that name. */
export function isCommand(name: string): boolean {
  return listed.some((command) => command.name === name);
}
