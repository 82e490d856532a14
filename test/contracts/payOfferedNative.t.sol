// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IOfferFacet} from "../../contracts/interfaces/IOfferFacet.sol";
import {LibLock} from "../../contracts/libraries/LibLock.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {ReentrantReceiver, RevertingReceiver} from "../../contracts/mocks/HostileReceivers.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract PayOfferedNativeTest is CaratTest {
    function pay(Offer memory offer, uint256 value) internal {
        vm.prank(buyer);
        offers.payOfferedNative{value: value}(offer.deal, offer.validUntil, offer.r, offer.vs);
    }

    function expectUnpaid(Offer memory offer, uint256 value, bytes memory reason) internal {
        bytes32 held = wordOf(offer.deal.dealId);
        uint256 beforehand = buyer.balance;
        vm.expectRevert(reason);
        pay(offer, value);
        assertEq(wordOf(offer.deal.dealId), held);
        assertEq(buyer.balance, beforehand);
        assertEq(diamond.balance, 0);
    }

    function test_pays_and_tells() public {
        Deal memory deal = nativeDeal();
        Offer memory offer = offerOf(deal);
        bytes32 terms = deals.termsHash(deal);
        vm.expectEmit(true, true, true, true, diamond);
        emit IDealFacet.DealPaid(ID, terms, buyer, address(0), payee, deal.amount);
        pay(offer, deal.amount);
        assertEq(wordOf(ID), word(terms, 2));
        assertEq(payee.balance, deal.amount);
        assertEq(diamond.balance, 0);
    }

    function test_reverts_when_value_is_not_the_amount() public {
        Offer memory offer = offerOf(nativeDeal());
        uint256[3] memory values = [0, offer.deal.amount - 1, offer.deal.amount + 1];
        for (uint256 i; i < values.length; ++i) {
            expectUnpaid(
                offer, values[i], abi.encodeWithSelector(IDealFacet.WrongValue.selector, values[i], offer.deal.amount)
            );
        }
    }

    function test_reverts_when_deal_is_in_a_token() public {
        Offer memory offer = offerOf(tokenDeal());
        expectUnpaid(offer, offer.deal.amount, abi.encodeWithSelector(IDealFacet.WrongToken.selector, address(token)));
    }

    function test_reverts_when_payOfferedToken_would() public {
        Offer memory offer = offerOf(nativeDeal());
        uint256 due = offer.deal.amount;
        vm.prank(guardian);
        registry.setRole(Roles.SIGNER, signer, false);
        expectUnpaid(offer, due, abi.encodeWithSelector(IOfferFacet.NotSigner.selector, signer));
        vm.prank(root);
        registry.setRole(Roles.SIGNER, signer, true);
        pause();
        expectUnpaid(offer, due, abi.encodeWithSelector(IDealFacet.Paused.selector));
        vm.prank(root);
        registry.setPaused(false);
        uint256 until = offer.validUntil;
        vm.warp(until);
        expectUnpaid(offer, due, abi.encodeWithSelector(IOfferFacet.OfferExpired.selector, ID, until, until));
        offer = offerOf(offer.deal);
        cancel(ID);
        expectUnpaid(offer, due, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, bytes32(uint256(3))));
    }

    function test_pays_once() public {
        Offer memory offer = offerOf(nativeDeal());
        pay(offer, offer.deal.amount);
        bytes32 paid = wordOf(ID);
        expectUnpaid(offer, offer.deal.amount, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, paid));
        assertEq(payee.balance, offer.deal.amount);
    }

    function test_reverts_when_payee_refuses() public {
        Deal memory deal = nativeDeal();
        deal.payee = address(new RevertingReceiver());
        expectUnpaid(
            offerOf(deal), deal.amount, abi.encodeWithSelector(IDealFacet.NativeTransferFailed.selector, deal.payee)
        );
    }

    function test_reentering_payee_meets_the_lock() public {
        ReentrantReceiver hostile = new ReentrantReceiver();
        Deal memory deal = nativeDeal();
        deal.payee = address(hostile);
        Offer memory offer = offerOf(deal);
        hostile.arm(diamond, abi.encodeCall(IOfferFacet.payOfferedNative, (deal, offer.validUntil, offer.r, offer.vs)));
        pay(offer, deal.amount);
        assertFalse(hostile.reentered());
        assertEq(hostile.answer(), abi.encodeWithSelector(LibLock.Reentrant.selector));
        assertEq(address(hostile).balance, deal.amount);
    }

    function testFuzz_payee_gets_exactly_the_amount(uint256 dealId, uint256 amount) public {
        Deal memory deal = nativeDeal();
        deal.dealId = dealId;
        deal.amount = bound(amount, 1, 1e30);
        pay(offerOf(deal), deal.amount);
        assertEq(payee.balance, deal.amount);
        assertEq(buyer.balance, 1e30 - deal.amount);
        assertEq(diamond.balance, 0);
    }
}
