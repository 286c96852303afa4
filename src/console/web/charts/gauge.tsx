/** Shows how much of a limit is used. */

import { barColours } from '../parts/state-mark.tsx';
import { count } from '../time/format.ts';

/** `used` is null if unknown; `limit` is 0 if there is none. */
export function Gauge({
  label,
  used,
  limit,
}: {
  readonly label: string;
  readonly used: number | null;
  readonly limit: number;
}) {
  const share = limit === 0 || used === null ? 0 : Math.min(1, used / limit);
  const known = used === null ? '–' : count(used);
  const said = limit === 0 ? known : `${known} / ${count(limit)}`;
  return (
    <span className="flex items-center gap-2" title={`${label}: ${said}`}>
      <span
        className="h-2 min-w-8 flex-1 overflow-hidden rounded-full bg-raised"
        aria-hidden="true"
      >
        <span
          style={{ width: `${share * 100}%` }}
          className={`block h-full ${barColours[share >= 1 ? 'wait' : 'busy']}`}
        />
      </span>
      <span className="min-w-16 shrink-0 text-right">{said}</span>
    </span>
  );
}
