// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {LibLock} from "../../contracts/libraries/LibLock.sol";
import {LibToken} from "../../contracts/libraries/LibToken.sol";
import {ReentrantReceiver, RevertingReceiver} from "../../contracts/mocks/HostileReceivers.sol";
import {FalseToken, SilentToken} from "../../contracts/mocks/HostileTokens.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract SweepTest is CaratTest {
    function test_reverts_when_caller_is_not_root() public {
        address[6] memory callers = [operator, upgrader, guardian, buyer, payee, stranger];
        for (uint256 i; i < callers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IDealFacet.NotRoot.selector, callers[i]));
            vm.prank(callers[i]);
            deals.sweep(address(token), callers[i]);
            vm.expectRevert(abi.encodeWithSelector(IDealFacet.NotRoot.selector, callers[i]));
            vm.prank(callers[i]);
            deals.sweep(address(0), callers[i]);
        }
    }

    function test_follows_the_root_of_the_registry() public {
        vm.prank(root);
        registry.transferRoot(stranger);
        vm.prank(stranger);
        registry.acceptRoot();
        vm.expectRevert(abi.encodeWithSelector(IDealFacet.NotRoot.selector, root));
        vm.prank(root);
        deals.sweep(address(0), root);
        vm.prank(stranger);
        deals.sweep(address(0), stranger);
    }

    function test_reverts_when_receiver_is_zero_or_the_diamond() public {
        address[2] memory receivers = [address(0), diamond];
        for (uint256 i; i < receivers.length; ++i) {
            vm.expectRevert(abi.encodeWithSelector(IDealFacet.InvalidPayee.selector, receivers[i]));
            vm.prank(root);
            deals.sweep(address(0), receivers[i]);
        }
    }

    function test_frees_tokens() public {
        token.mint(diamond, 777);
        vm.expectEmit(true, true, true, true, diamond);
        emit IDealFacet.Swept(address(token), stranger, 777);
        vm.prank(root);
        deals.sweep(address(token), stranger);
        assertEq(token.balanceOf(stranger), 777);
        assertEq(token.balanceOf(diamond), 0);
    }

    function test_frees_a_token_that_returns_nothing() public {
        SilentToken silent = new SilentToken();
        silent.mint(diamond, 777);
        vm.prank(root);
        deals.sweep(address(silent), stranger);
        assertEq(silent.balanceOf(stranger), 777);
    }

    function test_frees_coins_also_while_paused() public {
        vm.deal(diamond, 3 ether);
        pause();
        vm.prank(root);
        deals.sweep(address(0), stranger);
        assertEq(stranger.balance, 3 ether);
        assertEq(diamond.balance, 0);
    }

    function test_reverts_when_the_receiver_refuses() public {
        address receiver = address(new RevertingReceiver());
        vm.deal(diamond, 1);
        vm.expectRevert(abi.encodeWithSelector(IDealFacet.NativeTransferFailed.selector, receiver));
        vm.prank(root);
        deals.sweep(address(0), receiver);
    }

    /// @dev Even where root itself is the receiver, and calls from inside what it has called.
    function test_reentering_receiver_meets_the_lock() public {
        ReentrantReceiver receiver = new ReentrantReceiver();
        vm.prank(root);
        registry.transferRoot(address(receiver));
        vm.prank(address(receiver));
        registry.acceptRoot();
        receiver.arm(diamond, abi.encodeCall(IDealFacet.sweep, (address(token), stranger)));
        token.mint(diamond, 777);
        vm.deal(diamond, 1);
        vm.prank(address(receiver));
        deals.sweep(address(0), address(receiver));
        assertFalse(receiver.reentered());
        assertEq(receiver.answer(), abi.encodeWithSelector(LibLock.Reentrant.selector));
        assertEq(token.balanceOf(diamond), 777);
    }

    function test_reverts_when_the_token_refuses() public {
        FalseToken hostile = new FalseToken();
        hostile.mint(diamond, 1);
        vm.expectRevert(abi.encodeWithSelector(LibToken.TokenCallFailed.selector, address(hostile)));
        vm.prank(root);
        deals.sweep(address(hostile), stranger);
        vm.expectRevert(abi.encodeWithSelector(LibToken.TokenCallFailed.selector, stranger));
        vm.prank(root);
        deals.sweep(stranger, stranger);
    }

    /// @dev Root can free what lies on the diamond, not what buyers have approved to it.
    function test_allowances_are_out_of_reach() public {
        assertEq(token.allowance(buyer, diamond), type(uint256).max);
        vm.prank(root);
        deals.sweep(address(token), root);
        assertEq(token.balanceOf(buyer), 1e30);
        assertEq(token.balanceOf(root), 0);
    }
}
