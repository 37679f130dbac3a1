import { getRouteApi, Link } from '@tanstack/react-router';
import { Screen, Tabs, wholly } from '../../components/layout.tsx';
import { costViews } from '../../search/screen-searches.ts';
import { DoubtfulView, UnpricedView, UnrecordedView } from './other-views.tsx';
import { PricesView } from './prices-view.tsx';
import { UsageView } from './usage-view.tsx';

const route = getRouteApi('/costs');

const names = {
  usage: 'Usage',
  prices: 'Prices',
  unpriced: 'Unpriced',
  doubtful: 'In doubt',
  unrecorded: 'Not recorded',
};
const views = {
  usage: UsageView,
  prices: PricesView,
  unpriced: UnpricedView,
  doubtful: DoubtfulView,
  unrecorded: UnrecordedView,
};

export function CostsScreen() {
  const { view = 'usage' } = route.useSearch();
  const View = views[view];
  return (
    <Screen title="Costs" about="From the providers’ own figures and the price list, in USD and by UTC days">
      <Tabs label="Views of costs">
        {costViews.map((name) => (
          <Link
            key={name}
            to="/costs"
            search={(before) => ({ ...before, view: name === 'usage' ? undefined : name })}
            activeOptions={wholly}
          >
            {names[name]}
          </Link>
        ))}
      </Tabs>
      <View />
    </Screen>
  );
}
