/** A series as a line without axes, to show beside a number. */

/** Values in chronological order; null if unknown. */
export type SparklineValues = readonly (number | null)[];

const width = 100;
const height = 24;

/** The path of the line through the values. */
function pathOf(series: SparklineValues): string {
  const max = Math.max(1e-9, ...series.map((value) => value ?? 0));
  const step = width / Math.max(1, series.length - 1);
  const points = series.flatMap((value, index) =>
    value === null
      ? []
      : [`${(index * step).toFixed(1)} ${(height - (value / max) * 22 - 1).toFixed(1)}`],
  );
  // A single value has no course, and a lone dot would look like dirt.
  return points.length < 2 ? '' : `M${points.join('L')}`;
}

/** Stretched to the available width; null values are skipped. */
export function Sparkline({ series }: { readonly series: SparklineValues }) {
  const path = pathOf(series);
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      className="h-6 w-full text-accent"
    >
      <path
        d={path}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
