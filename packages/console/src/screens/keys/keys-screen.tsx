import { getRouteApi, Link } from '@tanstack/react-router';
import { Card } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Screen } from '../../components/screen.tsx';
import { Tabs, wholly } from '../../components/tabs.tsx';
import { keyViews } from '../../search/read-simple-searches.ts';
import { usePermissions } from '../../session/session-context.ts';
import { KeysView } from './keys-view.tsx';
import { NamesView } from './names-view.tsx';
import { TokensView } from './tokens-view.tsx';

const route = getRouteApi('/keys');
const names = { keys: 'API keys', tokens: 'Agent tokens', names: 'Claimed names' };
const views = { keys: KeysView, tokens: TokensView, names: NamesView };

/** Keys to the API, and tokens by which agents prove their names. */
export function KeysScreen() {
  const { view = 'keys' } = route.useSearch();
  const { manageKeys } = usePermissions();
  const View = views[view];
  return (
    <Screen
      title="Keys and tokens"
      about="Keys open this console and the API; tokens prove to the proxy who an agent is"
    >
      {manageKeys ? (
        <>
          <Tabs label="Kinds of secrets">
            {keyViews.map((name) => (
              <Link key={name} to="/keys" search={{ view: name === 'keys' ? undefined : name }} activeOptions={wholly}>
                {names[name]}
              </Link>
            ))}
          </Tabs>
          <View />
        </>
      ) : (
        <Card>
          <EmptyState title="Only administrators see keys and tokens">
            Whoever is signed in here may not list or make them. Sign in with a key of scope admin, or ask somebody who
            has one.
          </EmptyState>
        </Card>
      )}
    </Screen>
  );
}
