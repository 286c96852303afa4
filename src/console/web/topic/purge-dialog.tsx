/** Removes the records of a partition below an offset. */
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { count } from '../time/format.ts';

interface PurgeProps {
  readonly topic: string;
  readonly places: readonly {
    readonly partition: number;
    readonly earliest: number;
    readonly latest: number;
  }[];
  readonly close: () => void;
}

export function PurgeDialog({ topic, places, close }: PurgeProps) {
  const [partition, setPartition] = useState(places[0]?.partition ?? 0);
  const place = places.find((each) => each.partition === partition);
  const [typed, setTyped] = useState('');
  const before = typed === '' ? (place?.latest ?? 0) : Number(typed);
  const gone = Math.max(0, before - (place?.earliest ?? 0));
  const purge = useChange(
    () => {
      const params = { path: { name: topic } };
      return ask(api.POST('/admin/topics/{name}/purge', { params, body: { partition, before } }));
    },
    ['topic'],
    close,
  );
  return (
    <Dialog title={`Purge ${topic}`} close={close}>
      <Choice
        label="Partition"
        value={partition}
        onChange={(event) => setPartition(Number(event.target.value))}
      >
        {places.map(({ partition: each, earliest, latest }) => (
          <option key={each} value={each}>
            {each}: {count(earliest)} to {count(latest)}
          </option>
        ))}
      </Choice>
      <TextField
        label="Keep from offset"
        hint="older records are deleted; empty = all current records"
        type="number"
        min={0}
        placeholder={String(place?.latest ?? 0)}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <p className="mb-3">
        At most {count(gone)} records go from partition {partition}. This cannot be taken back.
      </p>
      {purge.error !== null && (
        <p role="alert" className="mb-3 text-bad">
          {purge.error.message}
        </p>
      )}
      <div className="flex gap-2">
        <Action
          needs="admin"
          look="danger"
          disabled={purge.isPending || gone === 0}
          onClick={() => purge.mutate(undefined)}
        >
          Purge
        </Action>
        <Button onClick={close}>Keep them</Button>
      </div>
    </Dialog>
  );
}
