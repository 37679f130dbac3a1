import { Button, Checkbox, CloseButton, Popover, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconBookmark } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { apiQuery, callApi, useChange } from '../api/api.ts';
import { usePermissions } from '../api/session.ts';
import { tellDone } from './done.tsx';
import { FailureNotice } from './feedback.tsx';
import { Pill } from './values.tsx';

export const viewsQuery = { ...apiQuery('/api/v1/console/views'), staleTime: 30_000 };

interface View {
  screen: string;
  name: string;
  query: string;
  shared: boolean;
}

const saveView = ({ screen, name, query, shared }: View) =>
  callApi('post', '/api/v1/console/views', { body: { screen, name, query, shared } });

/** What an address narrows a list to, on whichever page of it. */
function withoutPage(search: string): string {
  const members = new URLSearchParams(search);
  for (const name of ['page', 'cursor']) members.delete(name);
  return members.size === 0 ? '' : `?${members}`;
}

/** Views of this screen: a person's own and those of all, each opened by its link; and the present one to be saved. */
export function SavedViews() {
  const [opened, popover] = useDisclosure();
  return (
    <Popover opened={opened} onChange={popover.toggle} position="bottom-end" width={300} trapFocus withinPortal>
      <Popover.Target>
        <Button
          variant="default"
          className="no-print"
          leftSection={<IconBookmark size={16} aria-hidden />}
          onClick={popover.toggle}
        >
          Views
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Views">
        <ViewList onClose={popover.close} />
      </Popover.Dropdown>
    </Popover>
  );
}

function ViewList({ onClose }: { onClose: () => void }) {
  const { pathname: screen, searchStr } = useLocation();
  const navigate = useNavigate();
  const { share } = usePermissions();
  const [name, setName] = useState('');
  const [shared, setShared] = useState(false);
  const views = useQuery(viewsQuery).data?.data.filter((view) => view.screen === screen) ?? [];
  const save = useChange(async () => {
    await saveView({ screen, name, query: withoutPage(searchStr), shared });
    tellDone({ text: `The view ${name} is saved${shared ? ' for all' : ''}.` });
  });
  const remove = useChange(async ({ id, ...view }: View & { id: string }) => {
    await callApi('delete', '/api/v1/console/views/{id}', { params: { path: { id } } });
    tellDone({ text: `The view ${view.name} is removed.`, undo: () => saveView(view) });
  });
  const error = save.error ?? remove.error;
  return (
    <Stack gap="xs">
      {views.map((view) => (
        <div key={view.id} className="named">
          <a
            href={`${screen}${view.query}`}
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              void navigate({ href: `${screen}${view.query}` });
              onClose();
            }}
          >
            {view.name}
          </a>
          {view.shared && <Pill>all</Pill>}
          {(share || !view.shared) && (
            <CloseButton aria-label={`Remove the view ${view.name}`} onClick={() => remove.mutate(view)} />
          )}
        </div>
      ))}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate(undefined, { onSuccess: onClose });
        }}
      >
        <Stack gap="xs">
          <TextInput
            label="Save what is shown as"
            maxLength={80}
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {share && (
            <Checkbox label="For all" checked={shared} onChange={(event) => setShared(event.currentTarget.checked)} />
          )}
          {error && <FailureNotice error={error} />}
          <Button type="submit" size="xs" loading={save.isPending} disabled={name.trim() === ''}>
            Save
          </Button>
        </Stack>
      </form>
    </Stack>
  );
}
