/** Fetches the folder of another node, for a node that is behind what the shared log still has. */
import type { Logger } from 'pino';
import type { Dispatcher } from 'undici';
import type { CommitLog } from '../../cluster/commit-log.js';
import { type CallingNode, callNode, callSeed } from '../../cluster/forwarding/node-call.js';
import { type Clock, sleep } from '../../engine/clock.js';
import type { NodeStanding } from '../cluster/follower-places.js';
import { standingPath } from '../cluster/standing-reports.js';
import { copyPath } from '../cluster-http/node-routes.js';
import { HeldFiles } from './copied-files.js';
import { type CopyAsk, type CopyHead, type HeldFile, placesIn } from './copy-format.js';
import { type KnownNodes, knownNodes } from './known-nodes.js';
import { CopyCut, type TakenCopyPorts, takeCopy } from './taken-copy.js';
import { UnfinishedCopy } from './unfinished-copy.js';

/** The collaborators of a fetch. */
export interface FolderFetchPorts extends TakenCopyPorts {
  readonly log: CommitLog;
  readonly caller: CallingNode;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * How long a node may take to begin its answer, and the longest pause within it: it verifies the
 * copy first.
 */
const withinMs = 10_000;
const pauseMs = 3_600_000;

/** The delay after all nodes were asked in vain. */
const againMs = 5000;

/** While a copy arrives, the owner is informed at this interval. */
const claimEveryMs = 10_000;

/** The status of a node that is already giving a copy to another one. */
const busyStatus = 503;

/** The nodes, with `first` before the others if it is one of them. */
function inOrder(nodes: readonly string[], first: string | null): readonly string[] {
  if (first === null || !nodes.includes(first)) return nodes;
  return [first, ...nodes.filter((node) => node !== first)];
}

/**
 * Created if the shared log no longer reaches back to this node's folder. The folder does not
 * change until the next start, which puts the copy in its place.
 */
export class FolderFetch {
  private readonly ending = new AbortController();
  /**
   * The node whose copy was interrupted: the part that has arrived is only of use together with
   * that node's files.
   */
  private begun: string | null = null;
  private readonly unfinished: UnfinishedCopy;
  private readonly arrived: HeldFiles;

  constructor(private readonly ports: FolderFetchPorts) {
    const { disk, dataDirectory } = ports;
    this.unfinished = new UnfinishedCopy(disk, dataDirectory);
    this.arrived = new HeldFiles(disk, placesIn(dataDirectory).fetching);
  }

  /**
   * Retries until a copy has arrived that the next start can put in place; resolves to true then,
   * or to false if it was stopped before.
   */
  async fetch(): Promise<boolean> {
    this.begun = await this.unfinished.source();
    while (!this.ending.signal.aborted) {
      if (await this.fetchOnce()) return true;
      await sleep(this.ports.clock, againMs);
    }
    return false;
  }

  /** Ends a fetch in progress; nothing of it counts. */
  stop(): void {
    this.ending.abort();
  }

  private async fetchOnce(): Promise<boolean> {
    const { log, logger, caller } = this.ports;
    try {
      const { start, owner, followers } = await knownNodes(log);
      if (owner !== null) await this.claims(owner, { place: start });
      // Ask the owner last, as it has other work.
      const known = [...followers, ...(owner === null ? [] : [owner])];
      for (const origin of inOrder(known, this.begun)) {
        if (origin !== caller.url && (await this.fetchFrom(origin, { owner, start }))) return true;
        if (this.begun === origin) return false;
      }
      logger.warn(
        { followers, owner },
        'no other node provided its data folder; asking them again',
      );
    } catch (error) {
      logger.warn({ err: error }, 'the other nodes could not be determined');
    }
    return false;
  }

  private async fetchFrom(
    origin: string,
    { owner, start }: Pick<KnownNodes, 'owner' | 'start'>,
  ): Promise<boolean> {
    const { caller, logger } = this.ports;
    const { signal } = this.ending;
    const seed = callSeed(caller);
    const timing = { withinMs, pauseMs, signal };
    const taking = new AbortController();
    this.begun = null;
    try {
      const held = await this.arrived.list();
      const ask: CopyAsk = { held: [...held] };
      const body = Buffer.from(JSON.stringify(ask));
      const call = { origin, path: copyPath, body, seed, ...timing };
      const answer = await callNode(caller, call);
      if (answer.statusCode !== 200) {
        await answer.body.dump();
        // The list of held files may be too long for the other node, so the next request has none.
        if (answer.statusCode !== busyStatus) await this.unfinished.drop();
        return false;
      }
      await this.unfinished.begin(origin);
      void this.claimsOn(owner, start, taking.signal);
      const { files } = await this.take(answer, seed, held);
      await this.unfinished.drop();
      const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
      logger.info(
        { from: origin, files: files.length, bytes },
        'the data folder of another node was fetched',
      );
      return true;
    } catch (error) {
      if (error instanceof CopyCut && error.files > 0) this.begun = origin;
      logger.warn(
        { err: error, from: origin },
        'the data folder of another node could not be fetched',
      );
      return false;
    } finally {
      taking.abort();
    }
  }

  private async take(
    answer: Dispatcher.ResponseData,
    seed: string,
    held: readonly HeldFile[],
  ): Promise<CopyHead> {
    try {
      return await takeCopy(this.ports, answer, seed, held);
    } catch (error) {
      // A copy that was refused may have been so for one of the files that were here before.
      this.arrived.forget(error instanceof CopyCut ? error.sent : undefined);
      throw error;
    } finally {
      // An answer that is not read to its end would keep the other node busy.
      answer.body.destroy();
    }
  }

  /**
   * Until `taken`, makes the owner keep what this node will need: a large folder takes longer than
   * the log would wait for a node whose place does not change.
   */
  private async claimsOn(first: string | null, place: number, taken: AbortSignal): Promise<void> {
    const { clock, log } = this.ports;
    for (let owner = first; !taken.aborted; ) {
      const isHeard = owner !== null && (await this.claims(owner, { place, fetches: true }));
      // Another node may own the log by now.
      if (!isHeard) ({ owner } = await knownNodes(log).catch(() => ({ owner: null })));
      await sleep(clock, claimEveryMs);
    }
  }

  /** Resolves to false if the node at `origin` does not answer, or is not the owner. */
  private claims(origin: string, standing: Omit<NodeStanding, 'node'>): Promise<boolean> {
    const { caller } = this.ports;
    const body = Buffer.from(JSON.stringify({ node: caller.url, ...standing }));
    return callNode(caller, { origin, path: standingPath, body, withinMs })
      .then(async (answer) => {
        await answer.body.dump();
        return answer.statusCode === 204;
      })
      .catch(() => false);
  }
}
