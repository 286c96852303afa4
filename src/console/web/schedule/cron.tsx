/** A cron expression, and its meaning in words. */
import { useQuery } from '@tanstack/react-query';

/** A cron expression as in a form. */
export interface CronParts {
  /** The five fields. */
  readonly fields: string;
  /** The zone that `CRON_TZ=` names; UTC without one. */
  readonly zone: string;
}

/** Splits the expression of a schedule. Pure. */
export function cronParts(cron: string): CronParts {
  const [, zone] = /^CRON_TZ=(\S+)\s/.exec(cron) ?? [];
  return { fields: cron.replace(/^CRON_TZ=\S+\s+/, ''), zone: zone ?? 'UTC' };
}

/** The meaning of five fields; the library for it is loaded when it is first needed. */
export function useCronWords(fields: string): string {
  const { data } = useQuery({
    queryKey: ['cron', fields],
    queryFn: async () => {
      const { toString: wordsOf } = (await import('cronstrue')).default;
      try {
        return wordsOf(fields, { use24HourTimeFormat: true });
      } catch {
        // The server says what is wrong with the expression.
        return '';
      }
    },
    enabled: fields !== '',
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  return data ?? '';
}

/** The five fields and their meaning in words; the tooltip has the whole expression. */
export function CronText({ cron }: { readonly cron: string }) {
  const { fields, zone } = cronParts(cron);
  const words = useCronWords(fields);
  return (
    <span title={`${cron}: ${words}`}>
      <code className="mr-2 font-mono text-xs">{fields}</code>
      <span className="text-muted">
        {words}
        {zone === 'UTC' ? '' : ` (${zone})`}
      </span>
    </span>
  );
}
