/** Formats times and durations. Pure. */

const units: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];

/** `2 h 5 min`, `4.09 s`, `120 ms`: two units at most, and no more digits than are useful. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  if (ms < 0) return `-${duration(-ms)}`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const index = units.findIndex(([, unitMs]) => ms >= unitMs);
  const [name = 's', unitMs = 1000] = units[index] ?? [];
  const whole = Math.floor(ms / unitMs);
  const [smaller = '', smallerMs = 1] = units[index + 1] ?? [];
  const rest = Math.floor((ms - whole * unitMs) / smallerMs);
  return rest === 0 ? `${whole} ${name}` : `${whole} ${name} ${rest} ${smaller}`;
}

/** `now`, `12 s ago`, `in 3 min`: one unit. */
export function relative(at: number, now: number): string {
  const ms = Math.abs(now - at);
  if (ms < 1000) return 'now';
  const [name = 's', unitMs = 1000] = units.find(([, each]) => ms >= each) ?? [];
  const said = `${Math.floor(ms / unitMs)} ${name}`;
  return at < now ? `${said} ago` : `in ${said}`;
}

const pad = (value: number, length = 2) => String(value).padStart(length, '0');

/** `14:03:05.123`, in the browser's zone. */
export function hour(at: number): string {
  const date = new Date(at);
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()];
  return `${pad(hours)}:${pad(minutes)}:${pad(seconds)}.${pad(date.getMilliseconds(), 3)}`;
}

/**
 * `14:03:05.123` on the same day as `now`, `11-22 14:03:05` in the same year, otherwise
 * `2025-11-22`: in a column, a time alone does not say which day.
 */
export function moment(at: number, now: number): string {
  const [day, today] = [exact(at), exact(now)];
  if (day.slice(0, 10) === today.slice(0, 10)) return hour(at);
  return day.slice(0, 4) === today.slice(0, 4) ? day.slice(5, 19) : day.slice(0, 10);
}

/** `2026-11-23 14:03:05.123`, in the browser's zone. */
export function exact(at: number): string {
  const date = new Date(at);
  return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} ${hour(at)}`;
}

/** `12,345`. */
export function count(value: number): string {
  return value.toLocaleString('en-US');
}

/** `1.5 MiB`. */
export function bytes(value: number): string {
  const names = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = value < 1 ? 0 : Math.min(Math.floor(Math.log2(value) / 10), names.length - 1);
  const scaled = value / 1024 ** power;
  return `${power === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)} ${names[power]}`;
}
