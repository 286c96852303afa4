/** The names under which things without a class of their own are injected. */

/** Injection tokens for things without a class: `@Inject(provided.config) config: Config`. */
export const provided = {
  config: Symbol('Config'),
  credentials: Symbol('Credentials'),
  /** The users that the tokens name: `Pick<ReadonlySet<string>, 'has'>`. */
  userIds: Symbol('userIds'),
  clock: Symbol('Clock'),
  identifiers: Symbol('Identifiers'),
  disk: Symbol('Disk'),
  /** Made by the outbound module: the port, or the network. */
  endpoints: Symbol('Endpoints'),
  /** The journal's log: `PartitionLog`. */
  journalLog: Symbol('journalLog'),
  fileSizes: Symbol('fileSizes'),
  /** Which logs stay in use although damaged: `(logName: string) => boolean`. */
  isolatesDamage: Symbol('isolatesDamage'),
  /** How to read the server's own folder beside the store: `StoreOptions`. */
  readingOptions: Symbol('readingOptions'),
  streamSizes: Symbol('StreamSizes'),
  /** The folder of the built console: `string | null`. */
  consoleFolder: Symbol('consoleFolder'),
  /** The settings that may be shown: `readonly ShownSetting[]`. */
  settings: Symbol('settings'),
  /** What distinguishes this build of the program from others. */
  build: Symbol('build'),
  /** The past moment that the server shows instead of now: `PastView | null`. */
  past: Symbol('past'),
  /** The cluster of which the server is a node: `Cluster | null`. */
  cluster: Symbol('cluster'),
  /** The cluster as the HTTP side sees it: `Membership | null`. */
  membership: Symbol('membership'),
  /** Receives the spans: `Tracer | null`. */
  tracer: Symbol('Tracer'),
  log: Symbol('Log'),
  fatal: Symbol('fatal'),
} as const;
