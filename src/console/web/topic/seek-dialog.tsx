/** Moves a group in a topic. The result can be previewed before it is applied. */
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Action, Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Choice, TextField } from '../parts/field.tsx';
import { count } from '../time/format.ts';

type Place = 'earliest' | 'latest' | 'offset' | 'time';

interface SeekProps {
  readonly group: string;
  readonly topic: string;
  readonly close: () => void;
}

/** null if the typed text is neither an offset nor a time. */
function targetOf(place: Place, typed: string) {
  if (place === 'earliest' || place === 'latest') return place;
  const value = place === 'offset' ? Number(typed) : new Date(typed).getTime();
  if (typed === '' || !Number.isSafeInteger(value) || value < 0) return null;
  return place === 'offset' ? { offset: value } : { timestamp: value };
}

/** Moves the group, or previews that. */
function useSeek(group: string, topic: string, to: ReturnType<typeof targetOf>) {
  return useChange(
    (dryRun: boolean) => {
      if (to === null) throw new Error('that is no place of a log');
      const params = { path: { group } };
      return ask(
        api.POST('/admin/groups/{group}/offsets', { params, body: { topic, to, dryRun } }),
      );
    },
    ['topic'],
  );
}

export function SeekDialog({ group, topic, close }: SeekProps) {
  const [place, setPlace] = useState<Place>('earliest');
  const [typed, setTyped] = useState('');
  const to = targetOf(place, typed);
  const seek = useSeek(group, topic, to);
  const isDone = seek.isSuccess && seek.variables === false;
  const choose = (next: Place) => {
    setPlace(next);
    setTyped('');
    seek.reset();
  };
  return (
    <Dialog title={`Move ${group} in ${topic}`} close={close}>
      {/* The values are those of the options. */}
      <Choice label="To" value={place} onChange={(event) => choose(event.target.value as Place)}>
        <option value="earliest">the first record</option>
        <option value="latest">the end</option>
        <option value="offset">an offset</option>
        <option value="time">a time</option>
      </Choice>
      {(place === 'offset' || place === 'time') && (
        <TextField
          label={place === 'offset' ? 'Offset' : 'Time'}
          type={place === 'offset' ? 'number' : 'datetime-local'}
          step={1}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            seek.reset();
          }}
        />
      )}
      {seek.error !== null && (
        <p role="alert" className="mb-3 text-bad">
          {seek.error.message}
        </p>
      )}
      {seek.data !== undefined && <Moves moves={seek.data} isDone={isDone} />}
      <div className="flex gap-2">
        <Button disabled={to === null || seek.isPending} onClick={() => seek.mutate(true)}>
          Show what would change
        </Button>
        <Action
          needs="admin"
          look="main"
          disabled={seek.data === undefined || isDone || seek.isPending}
          onClick={() => seek.mutate(false)}
        >
          Move it
        </Action>
        <Button onClick={close}>Close</Button>
      </div>
    </Dialog>
  );
}

interface MovesProps {
  readonly moves: readonly {
    readonly partition: number;
    readonly from: number;
    readonly to: number;
  }[];
  readonly isDone: boolean;
}

/** The present and the new position of the group in each partition. */
function Moves({ moves, isDone }: MovesProps) {
  return (
    <div role="status" className="mb-3">
      <p className="mb-1 font-medium">{isDone ? 'Moved:' : 'It would move to:'}</p>
      <ul className="max-h-48 overflow-auto">
        {moves.map(({ partition, from, to }) => (
          <li key={partition}>
            partition {partition}: {from < 0 ? 'no offset' : count(from)} → {count(to)}
          </li>
        ))}
      </ul>
    </div>
  );
}
