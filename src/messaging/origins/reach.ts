/** Whether a destination may be called, and whether it answers; the same rules as for attempts. */
import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../engine/clock.js';
import { provided } from '../../engine/provided.js';
import type { Destination } from '../../grammar/destination.js';
import { Refusal } from '../../grammar/result.js';
import { AddressGuard, dialledHost, settingOf } from '../outbound/address-guard.js';
import type { Endpoints } from '../outbound/endpoints.js';
import { LookUps } from '../outbound/look-ups.js';
import { NameResolver } from '../outbound/name-resolver.js';
import { DestinationRefused, transportReason } from '../outbound/transport-error.js';
import type { DialTarget, MessagingSettings } from '../settings.js';

/** How many destinations are asked at once, and how long one may take. */
const asksMax = 4;
const headTimeoutMs = 10_000;

const busy = new Refusal('unavailable', `${asksMax} destinations are being asked already`, {
  'retry-after': '1',
});

/** A URL in the form in which attempts call it. */
type CalledUrl = Extract<Destination, { readonly kind: 'url' }>;

/** The verdict on a destination. */
export interface ReachVerdict {
  readonly url: string;
  readonly allowed: boolean;
  /** Why it is not allowed. */
  readonly reason?: string;
  /** The setting that could allow it. */
  readonly setting?: string;
  /** The addresses of its host; none if an override applies or the name does not resolve. */
  readonly addresses: readonly string[];
  /** The answer to a HEAD; status 0 = there was none, for the reason in `error`. */
  readonly head?: { readonly status: number; readonly durationMs: number; readonly error?: string };
}

/**
 * Shows users what an attempt would meet now. Only a limited number of destinations is asked at
 * once; further requests are answered 503.
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
    lookUps: LookUps,
  ) {
    this.overrides = hostOverrides;
    this.resolver = new NameResolver(guard, clock, lookUps.resolve);
  }

  /** Judges a destination. `asks`: also sends one HEAD, if the destination is allowed. */
  async of(target: CalledUrl, asks: boolean): Promise<ReachVerdict | Refusal> {
    if (this.asking >= asksMax) return busy;
    this.asking += 1;
    try {
      const verdict = await this.judged(target);
      return verdict.allowed && asks ? { ...verdict, head: await this.head(target) } : verdict;
    } finally {
      this.asking -= 1;
    }
  }

  /** Why an origin may not be called, without a look-up of its name. */
  refusalOf(url: URL): Refusal | null {
    if (this.overrides.has(dialledHost(url))) return null;
    return this.guard.checkDestination(url)?.of('the destination') ?? null;
  }

  private async judged({ text, url }: CalledUrl): Promise<ReachVerdict> {
    const host = dialledHost(url);
    if (this.overrides.has(host)) return { url: text, allowed: true, addresses: [] };
    const refusal = this.refusalOf(url);
    if (refusal !== null) return forbidden(text, refusal.message, settingOf(refusal));
    try {
      const found = await this.resolver.approved(host);
      return { url: text, allowed: true, addresses: found.map(({ address }) => address) };
    } catch (error) {
      const reason = error instanceof Error ? transportReason(error) : String(error);
      return forbidden(
        text,
        reason,
        error instanceof DestinationRefused ? error.setting : undefined,
      );
    }
  }

  private async head({ text }: CalledUrl): Promise<NonNullable<ReachVerdict['head']>> {
    const { status, durationMs, error } = await this.endpoints.call({
      url: text,
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
