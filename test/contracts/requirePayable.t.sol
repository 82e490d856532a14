// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal} from "../../contracts/interfaces/DealTypes.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract RequirePayableTest is CaratTest {
    /// @dev What a payment by the buyer says, where the money itself is no obstacle.
    function pay(Deal memory deal) internal returns (bool ok, bytes memory reason) {
        bytes memory call = deal.token == address(0)
            ? abi.encodeCall(IDealFacet.payNative, (deal))
            : abi.encodeCall(IDealFacet.payToken, (deal));
        vm.prank(buyer);
        (ok, reason) = diamond.call{value: deal.token == address(0) ? deal.amount : 0}(call);
    }

    function requireSameAsPaying(Deal memory deal) internal {
        (bool asked, bytes memory told) = diamond.staticcall(abi.encodeCall(IDealFacet.requirePayable, (deal, buyer)));
        (bool paid, bytes memory reason) = pay(deal);
        assertEq(asked, paid);
        assertEq(told, reason);
    }

    function test_returns_for_an_open_deal() public {
        Deal memory deal = tokenDeal();
        open(deal);
        deals.requirePayable(deal, buyer);
        deals.requirePayable(deal, stranger);
        requireSameAsPaying(deal);
    }

    function test_reverts_while_paused() public {
        Deal memory deal = tokenDeal();
        open(deal);
        pause();
        requireSameAsPaying(deal);
        vm.expectRevert(IDealFacet.Paused.selector);
        deals.requirePayable(deal, buyer);
    }

    function test_reverts_when_the_deal_is_not_open() public {
        Deal memory deal = tokenDeal();
        requireSameAsPaying(deal);
        open(deal);
        (bool ok,) = pay(deal);
        assertTrue(ok);
        requireSameAsPaying(deal);
        deal.dealId += 1;
        open(deal);
        cancel(deal.dealId);
        requireSameAsPaying(deal);
    }

    function test_reverts_for_another_payer() public {
        Deal memory deal = tokenDeal();
        deal.payer = stranger;
        open(deal);
        requireSameAsPaying(deal);
        deals.requirePayable(deal, stranger);
    }

    function testFuzz_says_what_a_payment_says(Deal memory deal, uint256 changed, uint256 at) public {
        vm.assume(deal.payee.code.length == 0 && uint160(deal.payee) > 0xffff);
        deal.token = address(token);
        deal.amount = bound(deal.amount, 0, 1e24);
        deal.payer = deal.amount % 3 == 0 ? buyer : deal.amount % 3 == 1 ? address(0) : deal.payer;
        deal.expiresAt = bound(deal.expiresAt, block.timestamp, block.timestamp + 1 days);
        open(deal);
        vm.warp(bound(at, block.timestamp, block.timestamp + 1 days));
        if (changed % 4 == 1) deal.amount += 1;
        if (changed % 4 == 2) deal.expiresAt += 1;
        if (changed % 4 == 3) deal.dealId ^= 1;
        requireSameAsPaying(deal);
    }
}
