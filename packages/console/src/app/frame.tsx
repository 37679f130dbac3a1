import { AppShell, Burger } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet } from '@tanstack/react-router';
import { AccountMenu } from './account-menu.tsx';
import { Brand } from './brand.tsx';
import { CommandPalette } from './command-palette.tsx';
import { LagBadge } from './lag-badge.tsx';
import { Navigation } from './navigation.tsx';
import { PaletteButton } from './palette-button.tsx';
import { PauseBanner } from './pause-banner.tsx';
import { SchemeButton } from './scheme-button.tsx';

/** What is around every screen. */
export function Frame() {
  const [opened, { toggle, close }] = useDisclosure();
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !opened } }}
      padding="md"
    >
      <a href="#main" className="skip-link">
        To the content
      </a>
      <AppShell.Header>
        <div className="frame-header">
          <Burger
            opened={opened}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={opened ? 'Close the menu' : 'Open the menu'}
          />
          <Link to="/" className="brand" aria-label="Agent Governance Proxy: now">
            <Brand short />
          </Link>
          <div className="grow" />
          <PaletteButton />
          <LagBadge />
          <SchemeButton />
          <AccountMenu />
        </div>
      </AppShell.Header>
      <AppShell.Navbar aria-label="Screens">
        <Navigation onNavigate={close} />
      </AppShell.Navbar>
      <CommandPalette />
      <AppShell.Main id="main" tabIndex={-1}>
        <PauseBanner />
        <Outlet />
      </AppShell.Main>
    </AppShell>
  );
}
