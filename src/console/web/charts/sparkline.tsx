/** A series as a line without axes, for beside a number. */

/** Values in the order of time; null where nothing is known. */
export type SparklineValues = readonly (number | null)[];

const width = 100;
const height = 24;

/** The corners of a line, and of the area below it. */
function pathOf(series: SparklineValues): string {
  const max = Math.max(1e-9, ...series.map((value) => value ?? 0));
  const step = width / Math.max(1, series.length - 1);
  const points = series.flatMap((value, index) =>
    value === null
      ? []
      : [`${(index * step).toFixed(1)} ${(height - (value / max) * 22 - 1).toFixed(1)}`],
  );
  // One value is no course: a dot alone would look like dirt.
  return points.length < 2 ? '' : `M${points.join('L')}`;
}

/** Stretched to the width that there is; null in a series is a gap. */
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
