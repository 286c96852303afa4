/** Decides which traces are recorded: the same decision for each span of a trace. Pure. */
import { sampledFlag } from '../../grammar/trace-context.js';
import type { SamplerSettings } from '../configuration/telemetry-settings.js';

/** How many digits of an id are random (W3C Trace Context 2, "random trace id flag"). */
const randomDigits = 14;

/** `flags` came with the trace; null if the trace began here. */
export function isSampled(
  { isParentBased, ratio }: SamplerSettings,
  traceId: string,
  flags: number | null,
): boolean {
  if (isParentBased && flags !== null) return (flags & sampledFlag) === sampledFlag;
  const random = Number.parseInt(traceId.slice(-randomDigits), 16) / 16 ** randomDigits;
  return random >= 1 - ratio;
}
