import { postalAddressDetector } from './address/postal-address.ts';
import { emailDetector } from './contact/email-detector.ts';
import { phoneDetector } from './contact/phone-detector.ts';
import type { Detector } from './detector.ts';
import { dateOfBirthDetector } from './identity/date-of-birth.ts';
import { nationalIdDetector } from './identity/national-ids.ts';
import { passportDetector } from './identity/passport.ts';
import { usSsnDetector } from './identity/us-ssn.ts';
import { ipAddressDetector } from './network/ip-address-detector.ts';
import { macAddressDetector } from './network/mac-address-detector.ts';
import { creditCardDetector } from './payment/credit-card-detector.ts';
import { cryptoWalletDetector } from './payment/crypto-wallet-detector.ts';
import { ibanDetector } from './payment/iban-detector.ts';
import { usBankRoutingDetector } from './payment/us-bank-routing-detector.ts';
import { secretDetectors } from './secrets/secret-detectors.ts';

/** All detectors. Their order does not matter. */
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
