// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Diamond} from "../../contracts/Diamond.sol";
import {Deal} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../../contracts/interfaces/IDiamondLoupe.sol";
import {LibLock} from "../../contracts/libraries/LibLock.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {
    BombReceiver,
    GreedyReceiver,
    ReentrantReceiver,
    ReturningReceiver,
    RevertingReceiver
} from "../../contracts/mocks/HostileReceivers.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract PayNativeTest is CaratTest {
    function expectUnpaid(Deal memory deal, uint256 value, bytes memory reason) internal {
        bytes32 held = wordOf(deal.dealId);
        uint256 beforehand = buyer.balance;
        vm.expectRevert(reason);
        vm.prank(buyer);
        deals.payNative{value: value}(deal);
        assertEq(wordOf(deal.dealId), held);
        assertEq(buyer.balance, beforehand);
        assertEq(diamond.balance, 0);
    }

    function test_reverts_when_paused() public {
        Deal memory deal = nativeDeal();
        open(deal);
        pause();
        expectUnpaid(deal, deal.amount, abi.encodeWithSelector(IDealFacet.Paused.selector));
    }

    function test_reverts_when_deal_is_unknown() public {
        expectUnpaid(nativeDeal(), 1 ether, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, bytes32(0)));
    }

    function test_reverts_when_paid_twice_or_cancelled() public {
        Deal memory deal = nativeDeal();
        open(deal);
        vm.prank(buyer);
        deals.payNative{value: deal.amount}(deal);
        bytes32 paid = word(deals.termsHash(deal), 2);
        expectUnpaid(deal, deal.amount, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID, paid));
        deal.dealId = ID + 1;
        open(deal);
        cancel(deal.dealId);
        bytes32 cancelled = word(deals.termsHash(deal), 3);
        expectUnpaid(deal, deal.amount, abi.encodeWithSelector(IDealFacet.DealNotOpen.selector, ID + 1, cancelled));
    }

    function test_reverts_when_value_is_not_the_amount() public {
        Deal memory deal = nativeDeal();
        open(deal);
        uint256[3] memory values = [0, deal.amount - 1, deal.amount + 1];
        for (uint256 i; i < values.length; ++i) {
            expectUnpaid(
                deal, values[i], abi.encodeWithSelector(IDealFacet.WrongValue.selector, values[i], deal.amount)
            );
        }
    }

    function test_reverts_when_terms_differ() public {
        Deal memory deal = nativeDeal();
        open(deal);
        deal.amount = 1;
        bytes32 held = wordOf(ID);
        expectUnpaid(
            deal, 1, abi.encodeWithSelector(IDealFacet.TermsMismatch.selector, ID, held, deals.termsHash(deal))
        );
    }

    function test_reverts_when_deal_is_in_a_token() public {
        Deal memory deal = tokenDeal();
        open(deal);
        expectUnpaid(deal, deal.amount, abi.encodeWithSelector(IDealFacet.WrongToken.selector, address(token)));
    }

    function test_reverts_when_expired() public {
        Deal memory deal = nativeDeal();
        open(deal);
        vm.warp(deal.expiresAt);
        expectUnpaid(
            deal,
            deal.amount,
            abi.encodeWithSelector(IDealFacet.DealExpired.selector, ID, deal.expiresAt, deal.expiresAt)
        );
    }

    function test_reverts_when_bound_to_another_payer() public {
        Deal memory deal = nativeDeal();
        deal.payer = stranger;
        open(deal);
        expectUnpaid(deal, deal.amount, abi.encodeWithSelector(IDealFacet.NotPayer.selector, buyer, stranger));
    }

    function test_reverts_when_payee_is_zero_or_the_diamond() public {
        address[2] memory payees = [address(0), diamond];
        for (uint256 i; i < payees.length; ++i) {
            Deal memory deal = nativeDeal();
            deal.dealId = ID + i;
            deal.payee = payees[i];
            open(deal);
            expectUnpaid(deal, deal.amount, abi.encodeWithSelector(IDealFacet.InvalidPayee.selector, payees[i]));
        }
    }

    function test_reverts_when_amount_is_zero() public {
        Deal memory deal = nativeDeal();
        deal.amount = 0;
        open(deal);
        expectUnpaid(deal, 0, abi.encodeWithSelector(IDealFacet.InvalidAmount.selector, 0));
    }

    function test_reverts_when_payee_refuses() public {
        address[5] memory payees = [
            address(new RevertingReceiver()),
            address(new BombReceiver()),
            address(registry),
            address(batcher),
            registry.createDiamond(NODE, bytes16(uint128(0x33)))
        ];
        for (uint256 i; i < payees.length; ++i) {
            Deal memory deal = nativeDeal();
            deal.dealId = ID + i;
            deal.payee = payees[i];
            open(deal);
            expectUnpaid(deal, deal.amount, abi.encodeWithSelector(IDealFacet.NativeTransferFailed.selector, payees[i]));
        }
    }

    function test_reverts_when_payee_burns_all_gas() public {
        Deal memory deal = nativeDeal();
        deal.payee = address(new GreedyReceiver());
        open(deal);
        vm.prank(buyer);
        (bool ok, bytes memory reason) =
            diamond.call{value: deal.amount, gas: 3_000_000}(abi.encodeCall(IDealFacet.payNative, (deal)));
        assertFalse(ok);
        assertEq(reason, abi.encodeWithSelector(IDealFacet.NativeTransferFailed.selector, deal.payee));
    }

    function test_pays_and_tells() public {
        Deal memory deal = nativeDeal();
        open(deal);
        uint256 beforehand = buyer.balance;
        bytes32 terms = deals.termsHash(deal);
        vm.expectEmit(true, true, true, true, diamond);
        emit IDealFacet.DealPaid(ID, terms, buyer, address(0), payee, deal.amount);
        vm.prank(buyer);
        deals.payNative{value: deal.amount}(deal);
        assertEq(wordOf(ID), word(terms, 2));
        assertEq(payee.balance, deal.amount);
        assertEq(buyer.balance, beforehand - deal.amount);
        assertEq(diamond.balance, 0);
    }

    function test_payer_may_be_the_payee() public {
        Deal memory deal = nativeDeal();
        deal.payee = buyer;
        open(deal);
        uint256 beforehand = buyer.balance;
        vm.prank(buyer);
        deals.payNative{value: deal.amount}(deal);
        assertEq(buyer.balance, beforehand);
    }

    /// @dev Coins that were forced on the diamond are not spent by a payment.
    function test_forced_coins_stay() public {
        vm.deal(diamond, 3 ether);
        Deal memory deal = nativeDeal();
        open(deal);
        vm.prank(buyer);
        deals.payNative{value: deal.amount}(deal);
        assertEq(diamond.balance, 3 ether);
        assertEq(payee.balance, deal.amount);
    }

    function test_coins_without_a_call_are_refused() public {
        vm.expectRevert(Diamond.NativeRefused.selector);
        vm.prank(buyer);
        payable(diamond).transfer(1);
    }

    function test_coins_with_an_unknown_call_are_refused() public {
        vm.prank(buyer);
        (bool ok, bytes memory reason) = diamond.call{value: 1}(hex"deadbeef");
        assertFalse(ok);
        assertEq(reason, abi.encodeWithSelector(Diamond.FunctionNotFound.selector, bytes4(0xdeadbeef)));
    }

    /// @dev payNative is the one function that takes coins.
    function test_coins_with_any_other_call_are_refused() public {
        IDiamondLoupe.Facet[] memory list = loupe.facets();
        for (uint256 i; i < list.length; ++i) {
            for (uint256 j; j < list[i].functionSelectors.length; ++j) {
                bytes4 selector = list[i].functionSelectors[j];
                if (selector == IDealFacet.payNative.selector) continue;
                (bool ok,) = diamond.call{value: 1}(abi.encodePacked(selector, new bytes(1024)));
                assertFalse(ok);
            }
        }
        assertEq(diamond.balance, 0);
    }

    function test_payee_that_sends_it_back_keeps_it() public {
        Deal memory deal = nativeDeal();
        ReturningReceiver receiver = new ReturningReceiver();
        deal.payee = address(receiver);
        open(deal);
        vm.prank(buyer);
        deals.payNative{value: deal.amount}(deal);
        assertFalse(receiver.accepted());
        assertEq(address(receiver).balance, deal.amount);
    }

    /// @dev Every function that changes the diamond is tried from inside a payment, by a payee with all roles.
    function test_reentering_payee_meets_the_lock() public {
        ReentrantReceiver hostile = new ReentrantReceiver();
        vm.startPrank(root);
        registry.setRole(Roles.OPERATOR, address(hostile), true);
        registry.setRole(Roles.UPGRADER, address(hostile), true);
        vm.stopPrank();
        bytes[] memory payloads = new bytes[](7);
        payloads[0] = abi.encodeCall(IDealFacet.createDeals, (keysOf(tokenDeal())));
        payloads[1] = abi.encodeCall(IDealFacet.cancelDeals, (one(ID)));
        payloads[2] = abi.encodeCall(IDealFacet.payToken, (tokenDeal()));
        payloads[3] = abi.encodeCall(IDealFacet.payNative, (nativeDeal()));
        payloads[4] = abi.encodeCall(IDealFacet.payTokenWithPermit, (tokenDeal(), 0, 0, 0, 0));
        payloads[5] = abi.encodeCall(IDealFacet.sweep, (address(0), stranger));
        payloads[6] = abi.encodeCall(IDiamondCut.diamondCut, (new IDiamondCut.FacetCut[](0), address(0), ""));
        for (uint256 i; i < payloads.length; ++i) {
            Deal memory deal = nativeDeal();
            deal.dealId = ID + i;
            deal.payee = address(hostile);
            open(deal);
            hostile.arm(diamond, payloads[i]);
            vm.prank(buyer);
            deals.payNative{value: deal.amount}(deal);
            assertFalse(hostile.reentered());
            assertEq(hostile.answer(), abi.encodeWithSelector(LibLock.Reentrant.selector));
        }
        assertEq(address(hostile).balance, payloads.length * 1 ether);
    }

    /// @dev During the callback the deal is already paid for everyone who looks.
    function test_deal_is_paid_before_the_money_moves() public {
        ReentrantReceiver hostile = new ReentrantReceiver();
        Deal memory deal = nativeDeal();
        deal.payee = address(hostile);
        open(deal);
        hostile.arm(diamond, abi.encodeCall(IDealFacet.dealWords, (one(ID))));
        vm.prank(buyer);
        deals.payNative{value: deal.amount}(deal);
        assertEq(abi.decode(hostile.answer(), (bytes32[]))[0], word(deals.termsHash(deal), 2));
    }

    function testFuzz_payee_gets_exactly_the_amount(uint256 dealId, uint256 amount) public {
        Deal memory deal = nativeDeal();
        deal.dealId = dealId;
        deal.amount = bound(amount, 1, 1e30);
        open(deal);
        vm.prank(buyer);
        deals.payNative{value: deal.amount}(deal);
        assertEq(payee.balance, deal.amount);
        assertEq(buyer.balance, 1e30 - deal.amount);
        assertEq(diamond.balance, 0);
    }
}
