import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createPiiFinder } from '../find-pii.ts';

const find = createPiiFinder();
const only = (type: string, text: string) =>
  find(text)
    .filter((finding) => finding.type === type)
    .map(({ start, end }) => text.slice(start, end));

test.each([
  ['4111111111111111', '4111111111111111'],
  ['card:4111 1111 1111 1111,cvc', '4111 1111 1111 1111'],
  ['4111-1111-1111-1111 12/30 123', '4111-1111-1111-1111'],
  ['3782 822463 10005', '3782 822463 10005'],
  ['5555555555554444', '5555555555554444'],
  ['2223003122003222', '2223003122003222'],
  ['6011000990139424', '6011000990139424'],
  ['30569309025904', '30569309025904'],
  ['credit card 060426070011', '060426070011'],
  ['x,4111111111111111.0,y', '4111111111111111'],
])('a card: %j', (text, card) => {
  expect(only('credit_card', text)).toEqual([card]);
});

test.each([
  '4111111111111112 4111 1111 1111 1112',
  '0.4111111111111111 x4111111111111111 4111111111111111é',
  '411-1111-1111-11111 41 11 11 11 11 11 11 11',
  '4111 1111-1111 1111 4111/1111/1111/1111 4111111111111111.05',
  '0000000000000000 card 0000000000000000',
  '1111111111111117 060426070011',
  '550e8400-e29b-41d4-a716-630427373398',
])('no card: %j', (text) => {
  expect(only('credit_card', text)).toEqual([]);
});

test.each([
  ['DE89370400440532013000', 'DE89370400440532013000'],
  ['to GB29 NWBK 6016 1331 9268 19.', 'GB29 NWBK 6016 1331 9268 19'],
  ['fr1420041010050500013m02606', 'fr1420041010050500013m02606'],
  ['NO9386011117947', 'NO9386011117947'],
  ['gB29nWbK60161331926819', 'gB29nWbK60161331926819'],
  ['MT84MALT011000012345MTLCAST001S', 'MT84MALT011000012345MTLCAST001S'],
])('an IBAN: %j', (text, iban) => {
  expect(only('iban', text)).toEqual([iban]);
});

test.each([
  'DE88370400440532013000',
  'XX89370400440532013000',
  'DE8937040044053201300 DE893704004405320130001',
  'xDE89370400440532013000 DE89  370400440532013000',
  'uA974jxbN2wsJmV2yv90LHsR2Xjkb',
])('no IBAN: %j', (text) => {
  expect(only('iban', text)).toEqual([]);
});

test('an IBAN with one wrong digit is not found', () => {
  const iban = 'DE89370400440532013000';
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 21 }), fc.integer({ min: 1, max: 9 }), (at, add) => {
      const wrong = iban.slice(0, at) + ((Number(iban[at]) + add) % 10) + iban.slice(at + 1);
      expect(only('iban', wrong)).toEqual([]);
    }),
  );
});

test('a routing number needs its checksum and a word', () => {
  expect(only('us_bank_routing', 'routing number: 021000021')).toEqual(['021000021']);
  expect(only('us_bank_routing', 'ABA 0114-0153-3')).toEqual(['0114-0153-3']);
  for (const text of ['021000021', 'routing number 021000022', 'routing 991000020', 'routing 000000000']) {
    expect(only('us_bank_routing', text)).toEqual([]);
  }
});

const wallets = [
  '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
  'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  'BC1QAR0SRRR7XFKVY5L643LYDNW9RE59GTZZWF5MDQ',
  'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
];

test.each(wallets)('a wallet: %s', (wallet) => {
  expect(only('crypto_wallet', `pay (${wallet}).`)).toEqual([wallet]);
});

test.each(wallets.filter((wallet) => !wallet.startsWith('0x')))(
  'with one other character it is not found: %s',
  (wallet) => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: wallet.length - 1 }),
        fc.constantFrom(...'qpzry9x8gf2tvdw'),
        (at, other) => {
          const wrong = wallet.slice(0, at) + other + wallet.slice(at + 1);
          fc.pre(wrong !== wallet);
          expect(only('crypto_wallet', wrong)).toEqual([]);
        },
      ),
    );
  },
);

test('an Ethereum address in one case needs a word, and in mixed case its checksum', () => {
  const lower = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
  expect(only('crypto_wallet', `wallet ${lower}`)).toEqual([lower]);
  expect(only('crypto_wallet', `commit ${lower}`)).toEqual([]);
  expect(only('crypto_wallet', 'wallet 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD')).toEqual([]);
  expect(only('crypto_wallet', `wallet ${lower}0`)).toEqual([]);
});
