/** Matches failed runs against filters. */
import { Injectable } from '@nestjs/common';
import { RandomlyKept } from '../../grammar/collections.js';
import { isAmong, isWithin } from '../../messaging/messages/message-filter.js';
import { FailedRunRecords } from './failed-run-records.js';
import type { FailedRun } from './failed-runs.projection.js';
import type { FailedRunListFilters, SelectedFailedRuns } from './failed-runs.request.js';

/** Number of runs whose filtered fields are cached. */
const traitsMax = 20_000;

/** Fields of a failed run that only the journal holds. */
interface Traits {
  readonly url: string;
  readonly callerIp: string;
  readonly labels: readonly string[];
  readonly flowControlKey: string | null;
  /** null = the run failed without an answer to its last message. */
  readonly responseStatus: number | null;
}

type AnyFilters = SelectedFailedRuns & Partial<FailedRunListFilters>;

/**
 * Shared by everything that filters failed runs. Caches what it reads for a bounded number of runs;
 * rejects if the journal cannot be read.
 */
@Injectable()
export class FailedRunMatching {
  private readonly traits = new RandomlyKept<number, Traits>(traitsMax);

  constructor(private readonly records: FailedRunRecords) {}

  /** Whether a run matches; reads the journal only if memory is not enough. */
  async matches(run: FailedRun, filters: AnyFilters): Promise<boolean> {
    const { workflowRunId, url = null } = filters;
    if (
      !isWithin(run.at, filters) ||
      !isAmong(run.createdAt, filters.workflowCreatedAt) ||
      !isAmong(run.callback?.state ?? null, filters.failureFunctionState) ||
      (workflowRunId !== null && !workflowRunId.some((begins) => run.runId.startsWith(begins)))
    ) {
      return false;
    }
    const { workflowUrl, label, callerIp, flowControlKey, responseStatus } = filters;
    const others = [workflowUrl, url, label, callerIp, flowControlKey, responseStatus];
    if (others.every((each) => each === null)) return true;
    const traits = await this.traitsOf(run);
    return (
      isAmong(traits.url, workflowUrl) &&
      isAmong(traits.url, url) &&
      isAmong(traits.callerIp, callerIp) &&
      isAmong(traits.flowControlKey, flowControlKey) &&
      isAmong(traits.responseStatus, responseStatus) &&
      (label === null || label.some((each) => traits.labels.includes(each)))
    );
  }

  private async traitsOf(run: FailedRun): Promise<Traits> {
    const known = this.traits.get(run.offset);
    if (known !== undefined) return known;
    const { url, callerIp, terms } = await this.records.configurationOf(run);
    const attempt = await this.records.attemptOf(await this.records.failureOf(run));
    const traits: Traits = {
      url,
      callerIp,
      labels: terms.labels,
      flowControlKey: terms.flowControl?.key ?? null,
      responseStatus: attempt?.event.status ?? null,
    };
    this.traits.set(run.offset, traits);
    return traits;
  }
}
