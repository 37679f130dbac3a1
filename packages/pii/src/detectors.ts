import type { Detector } from './detector.ts';
import { secretDetectors } from './hide-credentials.ts';
import { creditCardDetector } from './kinds/credit-card.ts';
import { cryptoWalletDetector } from './kinds/crypto-wallet.ts';
import { dateOfBirthDetector } from './kinds/date-of-birth.ts';
import { emailDetector } from './kinds/email.ts';
import { ibanDetector } from './kinds/iban.ts';
import { ipAddressDetector } from './kinds/ip-address.ts';
import { macAddressDetector } from './kinds/mac-address.ts';
import { nationalIdDetector } from './kinds/national-ids.ts';
import { passportDetector } from './kinds/passport.ts';
import { phoneDetector } from './kinds/phone.ts';
import { postalAddressDetector } from './kinds/postal-address.ts';
import { usBankRoutingDetector, usSsnDetector } from './kinds/us-ids.ts';

/** Their order does not matter. */
export const detectors: readonly Detector[] = [
  emailDetector,
  phoneDetector,
  ipAddressDetector,
  macAddressDetector,
  creditCardDetector,
  cryptoWalletDetector,
  ibanDetector,
  usBankRoutingDetector,
  usSsnDetector,
  nationalIdDetector,
  passportDetector,
  dateOfBirthDetector,
  postalAddressDetector,
  ...secretDetectors,
];
