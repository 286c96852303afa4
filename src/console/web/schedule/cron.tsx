/** A cron expression, and what it means in words. */
import { useQuery } from '@tanstack/react-query';

/** A cron as a form has it. */
export interface CronParts {
  /** The five fields. */
  readonly fields: string;
  /** As `CRON_TZ=` names it; UTC without one. */
  readonly zone: string;
}

/** An expression as a schedule has it. Pure. */
export function cronParts(cron: string): CronParts {
  const [, zone] = /^CRON_TZ=(\S+)\s/.exec(cron) ?? [];
  return { fields: cron.replace(/^CRON_TZ=\S+\s+/, ''), zone: zone ?? 'UTC' };
}

/** What five fields mean; the library for it comes when the first is shown. */
export function useCronWords(fields: string): string {
  const { data } = useQuery({
    queryKey: ['cron', fields],
    queryFn: async () => {
      const { toString: wordsOf } = (await import('cronstrue')).default;
      try {
        return wordsOf(fields, { use24HourTimeFormat: true });
      } catch {
        // The server says what is wrong with it.
        return '';
      }
    },
    enabled: fields !== '',
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: false,
  });
  return data ?? '';
}

/** The five fields and their meaning in words; the whole expression stands in its title. */
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
