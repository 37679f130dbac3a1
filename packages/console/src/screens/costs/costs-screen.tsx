import { getRouteApi } from '@tanstack/react-router';
import { Screen, Views } from '../../components/layout.tsx';
import { DoubtfulView, UnpricedView, UnrecordedView } from './other-views.tsx';
import { PricesView } from './prices-view.tsx';
import { UsageView } from './usage-view.tsx';

const route = getRouteApi('/costs');

const views = {
  usage: ['Usage', UsageView],
  prices: ['Prices', PricesView],
  unpriced: ['Unpriced', UnpricedView],
  doubtful: ['In doubt', DoubtfulView],
  unrecorded: ['Not recorded', UnrecordedView],
} as const;

export function CostsScreen() {
  const { view } = route.useSearch();
  return (
    <Screen title="Costs" about="From the providers’ own figures and the price list, in USD and by UTC days">
      <Views label="Views of costs" views={views} view={view} />
    </Screen>
  );
}
