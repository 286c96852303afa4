/** Whether a destination may be called, and whether it answers: judged as every attempt is. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import { Refusal } from '../../grammar/result.js';
import { AddressGuard, dialledHost, settingOf } from '../outbound/address-guard.js';
import type { Endpoints } from '../outbound/endpoints.js';
import { NameResolver } from '../outbound/name-resolver.js';
import { DestinationRefused, transportReason } from '../outbound/transport-error.js';
import type { DialTarget, MessagingSettings } from '../settings.js';

/** What is asked of destinations at once, and how long one may take. */
const asksMax = 4;
const headTimeoutMs = 10_000;

const busy = new Refusal('unavailable', `${asksMax} destinations are being asked already`, {
  'retry-after': '1',
});

/** What is said of a destination. */
export interface ReachVerdict {
  readonly url: string;
  readonly allowed: boolean;
  /** Why it is not allowed. */
  readonly reason?: string;
  /** The setting that could allow it. */
  readonly setting?: string;
  /** Where its host leads; none where an override leads elsewhere, or it does not resolve. */
  readonly addresses: readonly string[];
  /** What was answered to a HEAD; status 0 = nothing was, `error` says why. */
  readonly head?: { readonly status: number; readonly durationMs: number; readonly error?: string };
}

/**
 * For people: it says what an attempt would meet now. A bounded number is asked at once, others are
 * answered 503.
 */
@Injectable()
export class Reach {
  private readonly overrides: ReadonlyMap<string, DialTarget>;
  private asking = 0;
  private readonly resolver: NameResolver;

  constructor(
    private readonly guard: AddressGuard,
    @Inject(provided.endpoints) private readonly endpoints: Endpoints,
    @Inject(provided.config) { hostOverrides }: MessagingSettings,
    @Inject(provided.clock) clock: Clock,
  ) {
    this.overrides = hostOverrides;
    this.resolver = new NameResolver(guard, clock);
  }

  /** `asks` also sends one HEAD, where the destination is allowed. */
  async of(url: URL, asks: boolean): Promise<ReachVerdict | Refusal> {
    if (this.asking >= asksMax) return busy;
    this.asking += 1;
    try {
      const verdict = await this.judged(url);
      return verdict.allowed && asks ? { ...verdict, head: await this.head(url) } : verdict;
    } finally {
      this.asking -= 1;
    }
  }

  /** Without a look-up: what an origin by itself allows. */
  refusalOf(url: URL): Refusal | null {
    if (this.overrides.has(dialledHost(url))) return null;
    return this.guard.checkDestination(url)?.of('the destination') ?? null;
  }

  private async judged(url: URL): Promise<ReachVerdict> {
    const { href } = url;
    const host = dialledHost(url);
    if (this.overrides.has(host)) return { url: href, allowed: true, addresses: [] };
    const refusal = this.refusalOf(url);
    if (refusal !== null) return forbidden(href, refusal.message, settingOf(refusal));
    try {
      const found = await this.resolver.approved(host);
      return { url: href, allowed: true, addresses: found.map(({ address }) => address) };
    } catch (error) {
      const reason = error instanceof Error ? transportReason(error) : String(error);
      return forbidden(
        href,
        reason,
        error instanceof DestinationRefused ? error.setting : undefined,
      );
    }
  }

  private async head({ href }: URL): Promise<NonNullable<ReachVerdict['head']>> {
    const { status, durationMs, error } = await this.endpoints.call({
      url: href,
      method: 'HEAD',
      headers: [],
      body: null,
      timeoutMs: headTimeoutMs,
      captureBytes: 0,
    });
    return { status, durationMs: Math.round(durationMs), ...(error !== null && { error }) };
  }
}

function forbidden(url: string, reason: string, setting: string | undefined): ReachVerdict {
  return { url, allowed: false, reason, ...(setting !== undefined && { setting }), addresses: [] };
}
