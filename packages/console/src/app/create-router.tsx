import { Button } from '@mantine/core';
import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorRouteComponent,
  Link,
  lazyRouteComponent,
  useRouter,
} from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { EmptyState, FailureNotice } from '../components/feedback.tsx';
import { searches } from '../search/screen-searches.ts';
import type { RawSearch } from '../search/search.ts';
import { Frame } from './frame.tsx';
import { screens } from './screens.ts';

/** A screen that broke: the rest of the page stays usable. */
function ScreenFault({ error }: { error: Error }) {
  const router = useRouter();
  return <FailureNotice error={error} retry={() => router.invalidate()} />;
}

function UnknownPlace() {
  return (
    <EmptyState
      title="There is no such page"
      action={
        <Button variant="default" renderRoot={(props) => <Link to="/" {...props} />}>
          To what happens now
        </Button>
      }
    >
      The address is mistyped, or it belongs to another version.
    </EmptyState>
  );
}

const root = createRootRoute({ component: Frame, notFoundComponent: UnknownPlace });
const getParentRoute = () => root;

type Component = () => ReactNode;

async function loadScreen(load: () => Promise<object>): Promise<{ default: Component }> {
  const found = Object.entries(await load()).find(([name]) => name.endsWith('Screen'));
  return { default: found?.[1] as Component };
}

type Searches = typeof searches;
type SearchOf<Path> = Path extends keyof Searches ? ReturnType<Searches[Path]> : object;

function toRoute<const Path extends string, Search extends object>(path: Path, load: () => Promise<object>) {
  const component = lazyRouteComponent(() => loadScreen(load));
  const read: Partial<Record<string, unknown>> = searches;
  const validateSearch = (read[path] ?? (() => ({}))) as (raw: RawSearch) => Search;
  return createRoute({ getParentRoute, path, component, validateSearch });
}

type RoutesOf<Rows extends readonly { path: string }[]> = {
  -readonly [At in keyof Rows]: ReturnType<typeof toRoute<Rows[At]['path'], SearchOf<Rows[At]['path']>>>;
};
const routes = screens.map(({ path, load }) => toRoute(path, load)) as unknown as RoutesOf<typeof screens>;
const tree = root.addChildren(routes);

/** Every address of the console and its screen. */
export function createConsoleRouter() {
  return createRouter({
    routeTree: tree,
    defaultPreload: 'intent',
    defaultErrorComponent: ScreenFault as ErrorRouteComponent,
    defaultNotFoundComponent: UnknownPlace,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
