/** What stands beside Stepwell on the same work, and what the bench needs of it. */
import type { LeanRequest } from '../load/lean-connection.js';
import type { TopicContents } from '../load/log-topic.js';
import type { Round } from '../measure/contest.js';

/** The kinds of work there are; a peer names those it can do. */
export type WorkKind =
  | 'accept'
  | 'batch'
  | 'deliver'
  | 'queue'
  | 'run'
  | 'published-run'
  | 'produce'
  | 'consume'
  | 'wait'
  | 'sleep';

/** Where a peer is started, and for what. */
export interface Place {
  /** The peer's own: empty at its first start, and as it was left at the next one. */
  readonly directory: string;
  readonly kind: WorkKind;
  /** Where messages are delivered to: `http://host:port`. */
  readonly destination: string;
  /** Of one message or record. */
  readonly bytes: number;
}

export interface Peer {
  /** For `--only`, and the name of its folder. */
  readonly name: string;
  readonly title: string;
  /** What an acknowledgement of it means. */
  readonly durability: string;
  readonly kinds: readonly WorkKind[];
  /** Its versions; a peer that is not there says how it is installed. */
  look(): Presence;
  /** What is done once for a folder, and is no part of a start. */
  prepare?(place: Place): Promise<void>;
  /** Settles when it takes work. */
  start(place: Place): Promise<PeerServer>;
}

export type Presence = { readonly versions: string } | { readonly install: string };

/** Messages that one request publishes. */
export interface Publishing {
  /** Where they are to be sent. */
  readonly url: string;
  /** Of each message; printable ASCII. */
  readonly bodies: readonly string[];
  /** 0 = at once. */
  readonly delaySeconds: number;
}

/** A peer that runs. What it cannot do is not there. */
export interface PeerServer {
  /** Everything that serves: they and their descendants are measured. */
  readonly processes: readonly number[];
  /** What a user of it writes and runs: measured by itself. */
  readonly applications: readonly number[];
  /** The request that publishes. */
  publish?(publishing: Publishing): LeanRequest;
  /** Runs of five steps, so many at once, for so long; all that began have ended at its end. */
  run?(runs: number, seconds: number): Promise<Round>;
  /** A producer; `records` go with each call. */
  produce?(records: number, value: string, connections: number): Promise<Caller>;
  /** Fills a topic; what is given reads all of it, as often as the time allows. */
  consume?(contents: TopicContents): Promise<(seconds: number) => Promise<Round>>;
  /** Puts so many runs to sleep for an hour; settles when all of them sleep. */
  sleep?(runs: number): Promise<void>;
  /** Ends all of it at once, as a crash does. */
  stop(): Promise<void>;
}

/** What a client does again and again. */
export interface Caller {
  /** Operations of one call. */
  readonly operationsEach: number;
  /** One call at a time on each connection, counted from 0. Rejects if it was refused. */
  call(connection: number): Promise<unknown>;
  close(): Promise<void>;
}
