/** The names under which what has no class of its own is injected. */

/** Injection tokens of what has no class: `@Inject(provided.config) config: Config`. */
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
  /** Which logs live with damage: `(logName: string) => boolean`. */
  isolatesDamage: Symbol('isolatesDamage'),
  /** How its own folder is looked at beside the store: `StoreOptions`. */
  readingOptions: Symbol('readingOptions'),
  streamSizes: Symbol('StreamSizes'),
  /** Where the built console lies: `string | null`. */
  consoleFolder: Symbol('consoleFolder'),
  /** What may be shown of the settings: `readonly ShownSetting[]`. */
  settings: Symbol('settings'),
  /** What distinguishes this build of the program from others. */
  build: Symbol('build'),
  /** What the server shows instead of now: `PastView | null`. */
  past: Symbol('past'),
  /** The cluster that the server is a node of: `Cluster | null`. */
  cluster: Symbol('cluster'),
  /** The same as the HTTP side sees it: `Membership | null`. */
  membership: Symbol('membership'),
  /** Where spans go: `Tracer | null`. */
  tracer: Symbol('Tracer'),
  log: Symbol('Log'),
  fatal: Symbol('fatal'),
} as const;
