/** Times as clocks in other zones show them. Pure. */

const formats = new Map<string, Intl.DateTimeFormat>();

/** One format for each zone: creating one costs more than a thousand uses of it. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: '2-digit',
    month: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formats.set(zone, made);
  return made;
}

function partsOf(at: number, zone: string): Readonly<Record<string, string>> {
  const parts = formatOf(zone).formatToParts(at);
  return Object.fromEntries(parts.map(({ type, value }) => [type, value]));
}

/** `Mon 23`, and the hour from 0 to 23. */
export function dayAndHour(at: number, zone: string): { day: string; hour: number } {
  const { weekday, day, hour } = partsOf(at, zone);
  return { day: `${weekday} ${day}`, hour: Number(hour) };
}

/** `Mon 23.11. 09:00`. */
export function clockIn(at: number, zone: string): string {
  const { weekday, day, month, hour, minute } = partsOf(at, zone);
  return `${weekday} ${day}.${month}. ${hour}:${minute}`;
}
