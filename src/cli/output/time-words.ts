/** Formats times and durations for people. */

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const;

/** `1h 5m`, `3.2s`, `12ms`: two units at most, which is precise enough for a reader. */
export function durationWords(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)}s`;
  const words: string[] = [];
  let left = ms;
  for (const [unit, length] of units) {
    const count = Math.floor(left / length);
    left -= count * length;
    if (count > 0) words.push(`${count}${unit}`);
    if (words.length === 2 || (words.length === 1 && count === 0)) break;
  }
  return words.join(' ');
}

/** `3s ago`, `in 1h 59m`; `now` within a second. Times are in Unix ms. */
export function relativeTime(at: number, now: number): string {
  const distance = Math.abs(now - at);
  if (distance < 1000) return 'now';
  const words = durationWords(Math.floor(distance / 1000) * 1000).replace('.0s', 's');
  return at > now ? `in ${words}` : `${words} ago`;
}

/** `2026-11-23 14:05:09.120` in the terminal's own zone. */
export function exactTime(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
  return `${day} ${clock}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

/** `1.5 MiB`. */
export function sizeWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const names = ['KiB', 'MiB', 'GiB', 'TiB'];
  let size = bytes / 1024;
  let index = 0;
  while (size >= 1024 && index < names.length - 1) {
    size /= 1024;
    index += 1;
  }
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${names[index]}`;
}
