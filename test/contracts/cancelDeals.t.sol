// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealKey} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract CancelDealsTest is CaratTest {
    function test_reverts_when_caller_is_no_operator() public {
        open(tokenDeal());
        address[6] memory callers = [root, upgrader, guardian, buyer, payee, stranger];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IDealFacet.NotOperator.selector, callers[i]));
            vm.prank(callers[i]);
            deals.cancelDeals(one(ID));
        }
    }

    function test_cancels_an_open_deal() public {
        Deal memory deal = tokenDeal();
        open(deal);
        bytes32 cancelled = word(deals.termsHash(deal), 3);
        vm.expectEmit(true, true, true, true, diamond);
        emit IDealFacet.DealCancelled(ID, cancelled);
        cancel(ID);
        assertEq(wordOf(ID), cancelled);
    }

    function test_works_while_paused() public {
        Deal memory deal = tokenDeal();
        open(deal);
        pause();
        cancel(ID);
        assertEq(wordOf(ID), word(deals.termsHash(deal), 3));
    }

    function test_unknown_id_gets_a_tombstone() public {
        vm.expectEmit(true, true, true, true, diamond);
        emit IDealFacet.DealCancelled(ID, bytes32(uint256(3)));
        cancel(ID);
        assertEq(wordOf(ID), bytes32(uint256(3)));
    }

    function test_paid_deal_is_skipped_silently() public {
        Deal memory deal = tokenDeal();
        open(deal);
        vm.prank(buyer);
        deals.payToken(deal);
        vm.recordLogs();
        cancel(ID);
        assertEq(vm.getRecordedLogs().length, 0);
        assertEq(wordOf(ID), word(deals.termsHash(deal), 2));
    }

    function test_cancelled_deal_is_skipped_silently() public {
        open(tokenDeal());
        cancel(ID);
        vm.recordLogs();
        cancel(ID);
        assertEq(vm.getRecordedLogs().length, 0);
    }

    function test_one_item_never_spoils_the_others() public {
        Deal memory paid = tokenDeal();
        open(paid);
        vm.prank(buyer);
        deals.payToken(paid);
        Deal memory other = tokenDeal();
        other.dealId = ID + 1;
        open(other);
        uint256[] memory ids = new uint256[](4);
        (ids[0], ids[1], ids[2], ids[3]) = (ID, ID + 1, ID + 2, ID + 2);
        vm.prank(operator);
        deals.cancelDeals(ids);
        assertEq(wordOf(ID), word(deals.termsHash(paid), 2));
        assertEq(wordOf(ID + 1), word(deals.termsHash(other), 3));
        assertEq(wordOf(ID + 2), bytes32(uint256(3)));
    }

    function testFuzz_cancelled_stays_cancelled(uint256 dealId, bytes32 terms, bool known) public {
        vm.startPrank(operator);
        if (known) deals.createDeals(one(DealKey(dealId, terms)));
        deals.cancelDeals(one(dealId));
        bytes32 held = known ? word(terms, 3) : bytes32(uint256(3));
        assertEq(wordOf(dealId), held);
        deals.createDeals(one(DealKey(dealId, terms)));
        deals.cancelDeals(one(dealId));
        assertEq(wordOf(dealId), held);
    }
}
