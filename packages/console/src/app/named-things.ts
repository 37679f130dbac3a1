import {
  IconBell,
  IconBookmark,
  IconDownload,
  IconFileZip,
  IconFingerprint,
  IconGavel,
  IconSend,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { apiQuery, fetchFile, policiesQuery, rulesQuery, saveFile, targetsQuery } from '../api/api.ts';
import { usePermissions } from '../api/session.ts';
import { tellDone } from '../components/done.tsx';
import { viewsQuery } from '../components/saved-views.tsx';
import { usePlaces } from './screens.ts';

/** Screens whose list can be saved as a file. */
const savable: readonly string[] = ['/events', '/sessions', '/refusals', '/audit'];

const saveList = (list: string) =>
  fetchFile(`/api/v1/${list}?limit=1000`, 'text/csv')
    .then((file) => saveFile(file, `${list}.csv`))
    .catch(({ message }: Error) => tellDone({ text: `Not saved: ${message}` }));

/** What people gave a name with this text in it, and lists that can be saved. @param enabled whether names are read */
export function useNamed(text: string, enabled: boolean) {
  const navigate = useNavigate();
  const may = usePermissions();
  const { places } = usePlaces();
  const policies = useQuery({ ...policiesQuery, enabled }).data?.data ?? [];
  const rules = useQuery({ ...rulesQuery, enabled: enabled && may.rules }).data?.data ?? [];
  const targets = useQuery({ ...targetsQuery, enabled: enabled && may.rules }).data?.data ?? [];
  const issuers = useQuery({ ...apiQuery('/api/v1/identities'), enabled: enabled && may.identities }).data?.data ?? [];
  const views = useQuery({ ...viewsQuery, enabled }).data?.data ?? [];
  const to = (href: string) => () => navigate({ href });
  const [ruled, targeted] = [to('/alerts/rules'), to('/alerts/rules?view=targets')];
  const all = [
    ...policies.map(({ id, policy: { name, mode, description = '' } }) => {
      return { icon: IconGavel, name, what: `Policy, ${mode}`, also: description, go: to(`/policies/${id}`) };
    }),
    ...rules.map(({ rule: { name } }) => ({ icon: IconBell, name, what: 'Rule of alerts', go: ruled })),
    ...targets.map(({ target: { name } }) => ({ icon: IconSend, name, what: 'Target of alerts', go: targeted })),
    ...issuers.map(({ identity: { name } }) => {
      return { icon: IconFingerprint, name, what: 'Identity', go: to('/identities') };
    }),
    ...views.map(({ name, screen, query }) => {
      return { icon: IconBookmark, name, what: `View of ${screen}`, go: to(`${screen}${query}`) };
    }),
    {
      icon: IconFileZip,
      name: 'Export evidence',
      what: 'Events, chains and what checks them, as ZIP',
      also: 'download verify',
      go: () => navigate({ to: '/audit', hash: 'export-evidence' }),
    },
    ...places
      .filter((place) => savable.includes(place.to))
      .map((place) => {
        const name = `Export ${place.name}`;
        return {
          icon: IconDownload,
          name,
          what: 'The latest 1,000 as CSV',
          also: 'CSV',
          go: () => saveList(place.to.slice(1)),
        };
      }),
  ];
  const wanted = text.toLowerCase();
  return enabled
    ? all.filter(({ name, ...more }) => `${name} ${'also' in more ? more.also : ''}`.toLowerCase().includes(wanted))
    : [];
}
