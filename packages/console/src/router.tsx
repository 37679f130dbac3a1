import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { NowPage } from './now-page.tsx';

const root = createRootRoute();
const now = createRoute({ getParentRoute: () => root, path: '/', component: NowPage });

export const router = createRouter({ routeTree: root.addChildren([now]) });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
