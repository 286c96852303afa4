/**
 * Dead letters grouped by what went wrong, the largest group first; a click shows the letters of
 * one group.
 */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api, ask } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { type ChosenFilters, useFilters } from '../parts/filter-bar.tsx';
import { Panel } from '../parts/page.tsx';
import { type Column, RowTable } from '../parts/row-table.tsx';
import { Loaded } from '../parts/states.tsx';
import { count, exact } from '../time/format.ts';
import { Time } from '../time/time.tsx';
import { countedGroups, groupName } from './counted-groups.ts';
import { messageQuery } from './dead-letter-filters.ts';

const load = async (filters: ChosenFilters, cursor?: string) => {
  const { host: _h, responseStatus: _s, error: _e, ...others } = filters;
  const query = { ...messageQuery(others), ...(cursor !== undefined && { cursor }) };
  return ask(api.GET('/v2/dlq/groups', { params: { query } }));
};
type Group = Awaited<ReturnType<typeof load>>['groups'][number];

/** A few causes usually account for most of the letters. */
const shownAtFirst = 5;
/** Counting reads every letter, so it happens less often than reading a page. */
const againMs = 5000;

const hostOf = ({ origin }: Group) => origin.replace(/^https?:\/\//, '');

/** `more` is a plus sign if older letters were not counted. */
const lettersColumn = (more: '+' | ''): Column<Group> => ({
  name: 'Letters',
  width: '5rem',
  isRight: true,
  cell: ({ count: letters }) => <strong>{`${count(letters)}${more}`}</strong>,
});

function columnsOf(choose: (group: Group) => void): readonly Column<Group>[] {
  return [
    {
      name: 'Error',
      cell: (group) => (
        <button
          type="button"
          onClick={() => choose(group)}
          title={`${group.error}: show those to ${hostOf(group)}`}
          className="max-w-full truncate text-left text-bad hover:underline"
        >
          {group.responseStatus > 0 ? `${group.responseStatus} ` : ''}
          {group.error}
        </button>
      ),
    },
    { name: 'Destination', width: '28%', from: 'sm', cell: (group) => hostOf(group) },
    {
      name: 'Newest',
      width: '7rem',
      isRight: true,
      cell: ({ newestAt }) => <Time at={newestAt} />,
    },
    {
      name: 'Since',
      width: '7rem',
      isRight: true,
      from: 'md',
      cell: ({ oldestAt }) => <Time at={oldestAt} />,
    },
  ];
}

export function LetterGroupsPanel() {
  const [filters, change] = useFilters();
  const [isWhole, setWhole] = useState(false);
  const [parts, setParts] = useState(1);
  const query = useQuery({
    queryKey: ['dlq', 'groups', messageQuery(filters), parts],
    queryFn: () => countedGroups(parts, (cursor) => load(filters, cursor)),
    refetchInterval: againMs * parts,
    placeholderData: (before) => before,
  });
  const columns = columnsOf((group) =>
    change({
      host: hostOf(group),
      responseStatus: String(group.responseStatus),
      error: group.error,
    }),
  );
  return (
    <Loaded query={query} lines={3}>
      {({ groups, others, searchedTo }) =>
        groups.length === 0 ? null : (
          <Panel
            title="By error"
            aside={
              groups.length > shownAtFirst && (
                <Button isSmall aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
                  {isWhole ? 'The largest' : `All ${count(groups.length)}`}
                </Button>
              )
            }
          >
            <RowTable
              label="By error"
              columns={[lettersColumn(searchedTo === undefined ? '' : '+'), ...columns]}
              rows={isWhole ? groups : groups.slice(0, shownAtFirst)}
              keyOf={groupName}
            />
            {(others > 0 || searchedTo !== undefined) && (
              <p className="flex flex-wrap items-center gap-3 border-t border-line px-3 py-2 text-muted">
                {others > 0 && `${count(others)} more are of groups too small to be listed. `}
                {searchedTo !== undefined &&
                  `Dead letters from before ${exact(searchedTo).slice(0, 19)} were not counted.`}
                {searchedTo !== undefined && (
                  <Button isSmall onClick={() => setParts(parts + 1)}>
                    Count further
                  </Button>
                )}
              </p>
            )}
          </Panel>
        )
      }
    </Loaded>
  );
}
