// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealKey} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {IOfferFacet} from "../../contracts/interfaces/IOfferFacet.sol";
import {LibLock} from "../../contracts/libraries/LibLock.sol";
import {LibOffers} from "../../contracts/libraries/LibOffers.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {FeeToken, ReentrantToken} from "../../contracts/mocks/HostileTokens.sol";
import {TestToken} from "../../contracts/mocks/TestToken.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract PayOfferedTokenTest is CaratTest {
    /// @dev The order of secp256k1.
    uint256 internal constant N = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141;

    function callOf(Offer memory offer) internal pure returns (bytes memory) {
        return abi.encodeCall(IOfferFacet.payOfferedToken, (offer.deal, offer.validUntil, offer.r, offer.vs));
    }

    function pay(Offer memory offer) internal {
        vm.prank(buyer);
        offers.payOfferedToken(offer.deal, offer.validUntil, offer.r, offer.vs);
    }

    function expectUnpaid(Offer memory offer, bytes memory reason) internal {
        bytes32 held = wordOf(offer.deal.dealId);
        vm.expectRevert(reason);
        pay(offer);
        assertEq(wordOf(offer.deal.dealId), held);
    }

    function expectForeign(Offer memory offer, address recovered) internal {
        expectUnpaid(offer, abi.encodeWithSelector(IOfferFacet.NotSigner.selector, recovered));
    }

    /// @dev An altered offer recovers to any account; none of them is a signer.
    function expectForeign(Offer memory offer) internal {
        vm.prank(buyer);
        (bool ok, bytes memory answer) = diamond.call(callOf(offer));
        assertFalse(ok);
        assertEq(bytes4(answer), IOfferFacet.NotSigner.selector);
        assertEq(wordOf(offer.deal.dealId), 0);
    }

    function notOpen(bytes32 held) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, held);
    }

    function test_pays_and_tells() public {
        Deal memory deal = tokenDeal();
        Offer memory offer = offerOf(deal);
        bytes32 terms = deals.termsHash(deal);
        uint256 beforehand = token.balanceOf(buyer);
        vm.expectEmit(true, true, true, true, diamond);
        emit IDealFacet.DealPaid(ID, terms, buyer, address(token), payee, deal.amount);
        pay(offer);
        assertEq(wordOf(ID), word(terms, 2));
        assertEq(token.balanceOf(payee), deal.amount);
        assertEq(token.balanceOf(buyer), beforehand - deal.amount);
        assertEq(token.balanceOf(diamond), 0);
    }

    function test_reverts_when_paused() public {
        Offer memory offer = offerOf(tokenDeal());
        pause();
        expectUnpaid(offer, abi.encodeWithSelector(IDealFacet.Paused.selector));
    }

    function test_end_of_the_window_is_exclusive_to_the_second() public {
        Offer memory offer = offerOf(tokenDeal());
        vm.warp(offer.validUntil);
        expectUnpaid(
            offer, abi.encodeWithSelector(IOfferFacet.OfferExpired.selector, ID, offer.validUntil, offer.validUntil)
        );
        vm.warp(offer.validUntil - 1);
        pay(offer);
        assertEq(token.balanceOf(payee), offer.deal.amount);
    }

    function test_expiry_of_the_deal_ends_every_offer() public {
        Deal memory deal = tokenDeal();
        Offer memory offer = offerOf(deal, signerKey, deal.expiresAt + 1 days);
        vm.warp(deal.expiresAt);
        expectUnpaid(offer, abi.encodeWithSelector(IDealFacet.DealExpired.selector, ID, deal.expiresAt, deal.expiresAt));
    }

    function test_reverts_when_signed_by_another_account() public {
        expectForeign(offerOf(tokenDeal(), buyerKey, block.timestamp + 1 hours), buyer);
        vm.startPrank(root);
        registry.setRole(Roles.OPERATOR, buyer, true);
        registry.setRole(Roles.UPGRADER, buyer, true);
        registry.setRole(Roles.GUARDIAN, buyer, true);
        vm.stopPrank();
        expectForeign(offerOf(tokenDeal(), buyerKey, block.timestamp + 1 hours), buyer);
    }

    function test_revoked_signer_offers_nothing_and_another_goes_on() public {
        (address second, uint256 secondKey) = makeAddrAndKey("second signer");
        vm.prank(root);
        registry.setRole(Roles.SIGNER, second, true);
        Deal memory deal = tokenDeal();
        Offer memory ofFirst = offerOf(deal);
        Offer memory ofSecond = offerOf(deal, secondKey, block.timestamp + 10 minutes);
        vm.prank(guardian);
        registry.setRole(Roles.SIGNER, signer, false);
        expectForeign(ofFirst, signer);
        pay(ofSecond);
        assertEq(token.balanceOf(payee), deal.amount);
    }

    function test_reverts_when_the_signature_is_none() public {
        Offer memory offer = offerOf(tokenDeal());
        bytes32[3] memory r = [bytes32(0), bytes32(N), offer.r];
        bytes32[3] memory vs = [offer.vs, offer.vs, bytes32(0)];
        for (uint256 i; i < r.length; ++i) {
            expectForeign(Offer(offer.deal, offer.validUntil, r[i], vs[i]), address(0));
        }
    }

    /// @dev The registry can give a role to any account, also to the one that no key can sign for.
    function test_zero_account_with_the_role_is_no_signer() public {
        vm.prank(root);
        registry.setRole(Roles.SIGNER, address(0), true);
        expectForeign(Offer(tokenDeal(), block.timestamp + 1 hours, 0, 0), address(0));
    }

    /// @dev The other form of a signature, with N - s and the other parity, recovers to the same account where it is allowed.
    function test_reverts_when_the_signature_is_malleated() public {
        Offer memory offer = offerOf(tokenDeal());
        uint256 s = uint256(offer.vs) & type(uint256).max >> 1;
        uint8 parity = uint8(uint256(offer.vs) >> 255);
        bytes32 digest = offerHash(offer.deal, offer.validUntil);
        assertEq(ecrecover(digest, 27 + (1 - parity), offer.r, bytes32(N - s)), signer);
        // The high s needs the bit of the parity, so the compact form cannot hold it whole.
        offer.vs = bytes32(N - s);
        expectForeign(offer);
        offer.vs = bytes32((N - s) & type(uint256).max >> 1 | uint256(1 - parity) << 255);
        expectForeign(offer);
        offer.vs = bytes32(s | uint256(1 - parity) << 255);
        expectForeign(offer);
    }

    /// @dev The lowest high s has 255 bits, so the compact form holds it.
    function test_lowest_high_s_is_no_signature() public pure {
        uint256 high = N / 2 + 1;
        bytes32 digest = keccak256("any");
        bytes32 r = bytes32(uint256(0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798));
        assertTrue(ecrecover(digest, 27, r, bytes32(high)) != address(0));
        assertEq(LibOffers.recover(digest, r, bytes32(high)), address(0));
        assertTrue(LibOffers.recover(digest, r, bytes32(high - 1)) != address(0));
    }

    function test_reverts_when_the_call_is_truncated() public {
        bytes memory whole = callOf(offerOf(tokenDeal()));
        for (uint256 length = 4; length < whole.length; length += 31) {
            bytes memory part = new bytes(length);
            for (uint256 i; i < length; ++i) {
                part[i] = whole[i];
            }
            vm.prank(buyer);
            (bool ok,) = diamond.call(part);
            assertFalse(ok);
        }
        assertEq(wordOf(ID), 0);
    }

    function test_reverts_when_any_term_or_the_window_differs() public {
        for (uint256 field; field < 7; ++field) {
            Offer memory offer = offerOf(tokenDeal());
            if (field == 0) offer.deal.token = address(new TestToken("Worthless", "WRT", 6));
            if (field == 1) offer.deal.payee = buyer;
            if (field == 2) offer.deal.payer = buyer;
            if (field == 3) offer.deal.amount -= 1;
            if (field == 4) offer.deal.expiresAt += 1;
            if (field == 5) offer.deal.dealId += 1;
            if (field == 6) offer.validUntil += 1;
            expectForeign(offer);
        }
    }

    function test_reverts_when_any_bit_of_the_signature_differs() public {
        for (uint256 bit; bit < 512; ++bit) {
            Offer memory offer = offerOf(tokenDeal());
            if (bit < 256) offer.r ^= bytes32(1 << bit);
            else offer.vs ^= bytes32(1 << (bit - 256));
            expectForeign(offer);
        }
    }

    function test_reverts_on_another_diamond_and_another_chain() public {
        Offer memory offer = offerOf(tokenDeal());
        vm.chainId(5);
        expectForeign(offer);
        vm.chainId(31_337);
        useDiamond(registry.createDiamond(NODE, bytes16(uint128(0x33))));
        expectForeign(offer);
    }

    /// @dev A signature over the terms alone, such as one for `DealCreated`, offers nothing.
    function test_signature_of_the_terms_is_no_offer() public {
        Deal memory deal = tokenDeal();
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(signerKey, deals.termsHash(deal));
        expectForeign(Offer(deal, block.timestamp + 1 hours, r, compact(v, s)));
    }

    function test_reverts_when_cancelled_and_when_a_tombstone() public {
        Offer memory offer = offerOf(tokenDeal());
        cancel(ID);
        expectUnpaid(offer, notOpen(bytes32(uint256(3))));
        Offer memory created = offerOf(tokenDeal());
        created.deal.dealId = ID + 1;
        created = offerOf(created.deal);
        open(created.deal);
        cancel(ID + 1);
        bytes32 held = word(deals.termsHash(created.deal), 3);
        expectUnpaid(created, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID + 1, held));
    }

    function test_deal_that_was_created_as_well_is_paid_once_either_way() public {
        Deal memory deal = tokenDeal();
        Offer memory offer = offerOf(deal);
        open(deal);
        pay(offer);
        bytes32 paid = word(deals.termsHash(deal), 2);
        assertEq(wordOf(ID), paid);
        expectUnpaid(offer, notOpen(paid));
        vm.expectRevert(notOpen(paid));
        vm.prank(buyer);
        deals.payToken(deal);

        deal.dealId = ID + 1;
        offer = offerOf(deal);
        open(deal);
        vm.prank(buyer);
        deals.payToken(deal);
        paid = word(deals.termsHash(deal), 2);
        expectUnpaid(offer, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID + 1, paid));
        assertEq(token.balanceOf(payee), 2 * deal.amount);
    }

    function test_deal_that_is_paid_cannot_be_created_or_cancelled() public {
        Deal memory deal = tokenDeal();
        pay(offerOf(deal));
        bytes32 paid = word(deals.termsHash(deal), 2);
        open(deal);
        assertEq(wordOf(ID), paid);
        cancel(ID);
        assertEq(wordOf(ID), paid);
    }

    function test_two_offers_of_an_id_pay_once() public {
        Deal memory deal = tokenDeal();
        Offer memory first = offerOf(deal);
        Offer memory later = offerOf(deal, signerKey, first.validUntil + 7 minutes);
        Deal memory dearer = tokenDeal();
        ++dearer.amount;
        Offer memory other = offerOf(dearer);
        pay(later);
        bytes32 paid = wordOf(ID);
        expectUnpaid(first, notOpen(paid));
        expectUnpaid(later, notOpen(paid));
        expectUnpaid(other, notOpen(paid));
        assertEq(token.balanceOf(payee), first.deal.amount);
    }

    function test_reverts_when_the_id_was_created_with_other_terms() public {
        Offer memory offer = offerOf(tokenDeal());
        DealKey[] memory keys = new DealKey[](1);
        keys[0] = DealKey(ID, keccak256("other terms"));
        vm.prank(operator);
        deals.createDeals(keys);
        bytes32 terms = deals.termsHash(offer.deal);
        expectUnpaid(offer, abi.encodeWithSelector(IDealFacet.TermsMismatch.selector, ID, wordOf(ID), terms));
    }

    function test_reverts_when_bound_to_another_payer() public {
        Deal memory deal = tokenDeal();
        deal.payer = stranger;
        expectUnpaid(offerOf(deal), abi.encodeWithSelector(IDealFacet.NotPayer.selector, buyer, stranger));
        deal.payer = buyer;
        pay(offerOf(deal));
        assertEq(token.balanceOf(payee), deal.amount);
    }

    function test_reverts_when_the_terms_make_no_sense() public {
        Deal memory deal = nativeDeal();
        expectUnpaid(offerOf(deal), abi.encodeWithSelector(IDealFacet.WrongToken.selector, address(0)));
        deal = tokenDeal();
        deal.amount = 0;
        expectUnpaid(offerOf(deal), abi.encodeWithSelector(IDealFacet.InvalidAmount.selector, 0));
        address[2] memory payees = [address(0), diamond];
        for (uint256 i; i < payees.length; ++i) {
            deal = tokenDeal();
            deal.payee = payees[i];
            expectUnpaid(offerOf(deal), abi.encodeWithSelector(IDealFacet.InvalidPayee.selector, payees[i]));
        }
    }

    function test_reverts_when_value_is_sent_along() public {
        bytes memory data = callOf(offerOf(tokenDeal()));
        vm.prank(buyer);
        (bool ok,) = diamond.call{value: 1}(data);
        assertFalse(ok);
        assertEq(diamond.balance, 0);
    }

    function test_reverts_when_token_takes_a_fee() public {
        FeeToken hostile = new FeeToken();
        hostile.mint(buyer, 1e12);
        vm.prank(buyer);
        hostile.approve(diamond, type(uint256).max);
        Offer memory offer = offerOf(tokenDeal(address(hostile)));
        uint256 received = offer.deal.amount - offer.deal.amount / 100;
        expectUnpaid(offer, abi.encodeWithSelector(IDealFacet.InexactTransfer.selector, received, offer.deal.amount));
    }

    /// @dev Every function that changes the diamond is tried from inside a payment, by a token with all roles.
    function test_reentering_token_meets_the_lock() public {
        ReentrantToken hostile = new ReentrantToken();
        vm.startPrank(root);
        registry.setRole(Roles.OPERATOR, address(hostile), true);
        registry.setRole(Roles.UPGRADER, address(hostile), true);
        vm.stopPrank();
        hostile.mint(buyer, 1e12);
        vm.prank(buyer);
        hostile.approve(diamond, type(uint256).max);
        Deal memory inner = tokenDeal();
        inner.dealId = ID + 100;
        Offer memory offer = offerOf(inner);
        bytes[] memory payloads = new bytes[](7);
        payloads[0] = abi.encodeCall(IDealFacet.createDeals, (keysOf(inner)));
        payloads[1] = abi.encodeCall(IDealFacet.cancelDeals, (one(ID)));
        payloads[2] = abi.encodeCall(IDealFacet.payToken, (inner));
        payloads[3] = callOf(offer);
        payloads[4] = abi.encodeCall(IOfferFacet.payOfferedNative, (inner, offer.validUntil, offer.r, offer.vs));
        payloads[5] = abi.encodeCall(
            IOfferFacet.payOfferedTokenWithPermit, (inner, offer.validUntil, offer.r, offer.vs, 0, 0, 0, 0)
        );
        payloads[6] = abi.encodeCall(IDiamondCut.diamondCut, (new IDiamondCut.FacetCut[](0), address(0), ""));
        for (uint256 i; i < payloads.length; ++i) {
            Deal memory deal = tokenDeal(address(hostile));
            deal.dealId = ID + i;
            hostile.arm(diamond, payloads[i]);
            pay(offerOf(deal));
            assertFalse(hostile.reentered());
            assertEq(hostile.answer(), abi.encodeWithSelector(LibLock.Reentrant.selector));
        }
        assertEq(hostile.balanceOf(payee), payloads.length * 12_500_000);
    }

    /// @dev This contract stands in for the diamond, because no function of a diamond shows the digest.
    function testFuzz_digest_is_that_of_eip712(Deal memory deal, uint256 validUntil, uint64 chain) public {
        vm.chainId(chain);
        useDiamond(address(this));
        assertEq(this.hashOf(deal, validUntil), offerHash(deal, validUntil));
    }

    function hashOf(Deal calldata deal, uint256 validUntil) external view returns (bytes32 offer) {
        (, offer) = LibOffers.hashes(deal, validUntil);
    }

    function testFuzz_payee_gets_exactly_the_amount(uint256 dealId, uint256 amount, uint256 life, uint256 window)
        public
    {
        Deal memory deal = tokenDeal();
        deal.dealId = dealId;
        deal.amount = bound(amount, 1, 1e30);
        deal.expiresAt = block.timestamp + bound(life, 1, 365 days);
        pay(offerOf(deal, signerKey, block.timestamp + bound(window, 1, 365 days)));
        assertEq(token.balanceOf(payee), deal.amount);
        assertEq(token.balanceOf(buyer), 1e30 - deal.amount);
        assertEq(token.balanceOf(diamond), 0);
    }

    function testFuzz_any_other_signature_pays_nothing(bytes32 r, bytes32 vs, uint256 validUntil) public {
        Offer memory offer = offerOf(tokenDeal());
        vm.assume(r != offer.r || vs != offer.vs);
        expectForeign(Offer(offer.deal, validUntil, r, vs));
    }
}
