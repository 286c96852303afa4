/** Which traces are recorded: the same answer for each span of a trace. Pure. */
import { sampledFlag } from '../../grammar/trace-context.js';
import type { SamplerSettings } from '../configuration/telemetry-settings.js';

/** The digits of an id that are random (W3C Trace Context 2, "random trace id flag"). */
const randomDigits = 14;

/** `flags` are those that the trace was brought with; null = it began here. */
export function isSampled(
  { isParentBased, ratio }: SamplerSettings,
  traceId: string,
  flags: number | null,
): boolean {
  if (isParentBased && flags !== null) return (flags & sampledFlag) === sampledFlag;
  const random = Number.parseInt(traceId.slice(-randomDigits), 16) / 16 ** randomDigits;
  return random >= 1 - ratio;
}
